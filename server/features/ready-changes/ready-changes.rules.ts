import type { MessageStatus } from '#shared/rules/categories.ts';
import type { DeliverOn } from '#shared/rules/deliver-on.ts';

/** Kinds of change of a ready message, in the order of the daily email. They are words of the audit log. */
export const readyChangeKinds = [
  'ready',
  'readers',
  'words',
  'files',
  'day',
  'visibility',
  'draft',
  'deleted',
  'restored',
  'forgotten',
  'imported',
] as const;

export type ReadyChangeKind = (typeof readyChangeKinds)[number];

/** One change of a ready message. `newReaders` are ids of recipients that the message did not have as a ready one. */
export type ReadyChange = { kinds: readonly ReadyChangeKind[]; newReaders: readonly string[] };

/** Details of a change in the audit log, from which the daily email is written. */
export function detailsOf({ kinds, newReaders }: ReadyChange): Record<string, unknown> {
  return newReaders.length === 0 ? { ready: [...kinds] } : { ready: [...kinds], newReaders: [...newReaders] };
}

/** True for a message that a release sends or that waits for its day; false for a draft and for a delivered message. */
export function isPromised({ status, deliveredAt }: { status: MessageStatus; deliveredAt: object | null }): boolean {
  return status === 'ready' || (status === 'delivered' && deliveredAt === null);
}

type Reader = { name: string | null; relation: string | null; email: string };

/** Values of a message as its owner sees it. */
export type ComparedMessage = {
  status: MessageStatus;
  title: string;
  content: string;
  encryptedContent: unknown;
  recipients: readonly Reader[];
  showRecipients: boolean;
  deliverOn: DeliverOn;
  announceWait: boolean;
  visibleToTrustedContact: boolean;
  attachmentOriginalName: string | null;
  attachmentSize: number | null;
  attachmentTranscript: string | null;
  enclosures: readonly { id: string }[];
};

type Compared = {
  /** Null for a draft or a new message. */
  before: ComparedMessage | null;
  after: ComparedMessage;
  /** Ids of the recipients before and after. */
  readersBefore: readonly string[];
  readersAfter: readonly string[];
  /** True if a file was uploaded with the change. */
  isFileNew: boolean;
};

/** Null if no ready message changed: a draft that stays one, or a change of place or category alone. */
export function readyChangeBetween(compared: Compared): ReadyChange | null {
  const { before, after, readersBefore, readersAfter } = compared;
  if (!before) return after.status === 'ready' ? { kinds: ['ready'], newReaders: readersAfter } : null;
  if (after.status === 'draft') return { kinds: ['draft'], newReaders: [] };
  const changed: readonly [ReadyChangeKind, boolean][] = [
    ['readers', !isAlike(readersOf(before), readersOf(after))],
    ['words', !isAlike(wordsOf(before), wordsOf(after))],
    ['files', compared.isFileNew || !isAlike(filesOf(before), filesOf(after))],
    ['day', !isAlike([before.deliverOn, before.announceWait], [after.deliverOn, after.announceWait])],
    ['visibility', before.visibleToTrustedContact !== after.visibleToTrustedContact],
  ];
  const kinds = changed.filter(([, isChanged]) => isChanged).map(([kind]) => kind);
  const known = new Set(readersBefore);
  return kinds.length === 0 ? null : { kinds, newReaders: readersAfter.filter((id) => !known.has(id)) };
}

function readersOf({ recipients, showRecipients }: ComparedMessage): unknown[] {
  return [showRecipients, recipients.map(({ name, relation, email }) => [name, relation, email])];
}

function wordsOf({ title, content, encryptedContent }: ComparedMessage): unknown[] {
  return [title, content, encryptedContent];
}

function filesOf(message: ComparedMessage): unknown[] {
  const { attachmentOriginalName, attachmentSize, attachmentTranscript, enclosures } = message;
  return [attachmentOriginalName, attachmentSize, attachmentTranscript, enclosures.map(({ id }) => id)];
}

function isAlike(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
