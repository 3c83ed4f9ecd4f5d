import type { ReactNode } from 'react';

export type BadgeTone = 'draft' | 'ready' | 'sent' | 'warn' | 'bad' | 'plain';

/** A state in one or two words. The colour only repeats them. */
export function Badge({ tone = 'plain', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={tone === 'plain' ? 'badge' : `badge badge-${tone}`}>{children}</span>;
}
