import type { ReactNode } from 'react';
import { Banner } from './banner.tsx';

/** Stands where somebody's words stood that no longer open: what that means, and what to do, which is mostly nothing. */
export function DamagedNote({ children }: { children: ReactNode }) {
  return (
    <Banner>
      What is kept here is damaged, so we did not open it. Nothing else is affected. We have been told, and look for a
      whole copy. {children}
    </Banner>
  );
}
