import type { ReactNode } from 'react';
import { Card } from '#web/components/ui/card.tsx';
import { KeyList } from './key-list.tsx';

/** List of keyboard shortcuts, with words or a control below it. */
export function KeysCard({ children }: { children: ReactNode }) {
  return (
    <Card as="section" className="keys-card" aria-labelledby="keys">
      <h2 className="h-card" id="keys">
        Keys
      </h2>
      <KeyList />
      {children}
    </Card>
  );
}
