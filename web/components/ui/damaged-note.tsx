import type { ReactNode } from 'react';
import { Banner } from './banner.tsx';

/** Replaces text that no longer opens: its meaning, and the next step, which is mostly none. */
export function DamagedNote({ children }: { children: ReactNode }) {
  return (
    <Banner>
      The data stored here is damaged, so we did not open it. Nothing else is affected. We have been told, and are
      looking for an intact copy. {children}
    </Banner>
  );
}
