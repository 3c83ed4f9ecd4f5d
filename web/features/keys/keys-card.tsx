import type { ReactNode } from 'react';
import { Card } from '#web/components/ui/card.tsx';
import { KeyList } from './key-list.tsx';

/** The keys of the vault, with words or a control below them. */
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
