import {
  type ComparedMessage,
  isPromised,
  type ReadyChange,
  type ReadyChangeKind,
  readyChangeBetween,
} from '#server/features/ready-changes/ready-changes.rules.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import type { EnclosureRow } from './enclosures.rows.ts';
import type { LockedMessage } from './messages.repository.ts';
import { openListed } from './messages.sealing.ts';
import type { RecipientRow } from './recipients.repository.ts';

type Sealed = { known: LockedMessage; recipients: readonly RecipientRow[]; enclosures: readonly EnclosureRow[] };
type Changed = { message: ComparedMessage; recipients: readonly { id: string }[]; isFileNew: boolean };

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Compares a message before and after a change. Opens the words of a ready message only. */
export function changeOfReady(vault: Vault, sealed: Sealed, changed: Changed): ReadyChange | null {
  const { known, recipients, enclosures } = sealed;
  return readyChangeBetween({
    before: isPromised(known) ? openListed(vault, known, { recipients, enclosures }) : null,
    after: changed.message,
    readersBefore: idsOf(recipients),
    readersAfter: idsOf(changed.recipients),
    isFileNew: changed.isFileNew,
  });
}

/** A change of one kind without new readers; null for a draft or a delivered message. */
export function oneChangeOf(known: Parameters<typeof isPromised>[0], kind: ReadyChangeKind): ReadyChange | null {
  return isPromised(known) ? { kinds: [kind], newReaders: [] } : null;
}

/** Pictures and voice of a message changed. A staged one is not in the message yet. */
export function filesChangeOf(known: LockedMessage, staging: string | null = null): ReadyChange | null {
  return staging ? null : oneChangeOf(known, 'files');
}

/** A new message; null for a draft. */
export function firstChangeOf(
  { status }: Pick<ComparedMessage, 'status'>,
  recipients: readonly { id: string }[],
): ReadyChange | null {
  return status === 'ready' ? { kinds: ['ready'], newReaders: idsOf(recipients) } : null;
}

/** A message put back from its deleted row; null if it is no ready one. */
export function restoredChangeOf(row: Record<string, unknown>): ReadyChange | null {
  return row.status === 'ready' ? { kinds: ['restored'], newReaders: [] } : null;
}
