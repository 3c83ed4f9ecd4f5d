import { type ReleaseMethod, waitingDaysMin } from '#shared/rules/inactivity.ts';

/** Most characters of names on the sheet, so that it stays one page. */
export const sheetNamesLengthMax = 1_000;

/** Everything that the sheet states. It has no title, no address of a reader and no link that acts. */
export type SheetFacts = {
  ownerName: string;
  product: string;
  baseUrl: string;
  operatorAddress: string;
  letters: { ready: number; drafts: number; delivered: number };
  documents: { all: number; visible: number };
  firstWeeks: { isNoted: boolean; readers: number };
  /** Names of contacts who count in a release, as the owner wrote them. */
  contactNames: readonly string[];
  /** Contacts who are switched on and have not accepted. */
  waitingContacts: number;
  release: { method: ReleaseMethod; inactivityDays: number; answerDays: number; waitingDays: number; quorum: number };
};

export type SheetSection = { title: string; lines: readonly string[] };

/** Sections of the sheet, in its order. */
export function sheetSections(facts: SheetFacts): SheetSection[] {
  return [
    { title: 'What there is', lines: whatThereIs(facts) },
    { title: 'Whom to ask', lines: whomToAsk(facts) },
    { title: 'How a release starts', lines: howItStarts(facts) },
    {
      title: 'What this sheet can’t do',
      lines: [
        'It holds no password and opens nothing. No one needs a password of the person who has died.',
        'The vault is not a will. The letters go to their readers by email, and to no one else.',
      ],
    },
  ];
}

function whatThereIs({ letters, documents, firstWeeks }: SheetFacts): string[] {
  const { ready, drafts, delivered } = letters;
  return [
    `${counted(ready, 'letter is', 'letters are')} ready to be sent.`,
    ...(drafts > 0 ? [`${counted(drafts, 'letter is a draft', 'letters are drafts')}, which no one gets.`] : []),
    ...(delivered > 0 ? [`${counted(delivered, 'letter was', 'letters were')} delivered already.`] : []),
    `${counted(documents.all, 'document is', 'documents are')} stored. The trusted contacts can download ${documents.visible} of them after a release.`,
    firstWeeks.isNoted
      ? `There is a page with notes for the first weeks. ${counted(firstWeeks.readers, 'contact reads', 'contacts read')} it after a release.`
      : 'There are no notes for the first weeks.',
  ];
}

function whomToAsk({ contactNames, waitingContacts, product, operatorAddress }: SheetFacts): string[] {
  return [
    contactNames.length === 0
      ? 'No trusted contact has accepted yet.'
      : `${contactNames.length === 1 ? 'The trusted contact is' : 'The trusted contacts are'} ${withinLimit(contactNames)}.`,
    ...(waitingContacts > 0
      ? [`${counted(waitingContacts, 'more person was', 'more people were')} asked and had not accepted.`]
      : []),
    `Questions about ${product} go to ${operatorAddress}.`,
  ];
}

function howItStarts({ ownerName, product, baseUrl, release, contactNames }: SheetFacts): string[] {
  const { method, inactivityDays, answerDays, waitingDays, quorum } = release;
  const needed = Math.max(1, Math.min(quorum, contactNames.length));
  const wait =
    waitingDays === waitingDaysMin
      ? 'Then we write to the owner as well.'
      : `Then we first try to reach the owner for ${counted(waitingDays, 'day', 'days')}.`;
  return [
    `By itself: if ${product} hears nothing from ${ownerName} for ${inactivityDays} days and two reminders stay unanswered, it asks the trusted contacts by email.`,
    `The letters go once ${counted(needed, 'contact confirms', 'contacts confirm')}.`,
    method === 'inactivity'
      ? `If no contact answers within ${counted(answerDays, 'day', 'days')}, the letters go without an answer.`
      : 'Without a contact’s yes nothing is sent.',
    `Earlier: a trusted contact fills in the form at ${baseUrl}/emergency-activation. ${wait}`,
  ];
}

/** Names in a list, as many as there is room for. */
function withinLimit(names: readonly string[]): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += name.length;
    if (length > sheetNamesLengthMax) break;
    shown.push(name);
  }
  const left = names.length - shown.length;
  return new Intl.ListFormat('en-GB').format([...shown, ...(left > 0 ? [`${left} more`] : [])]);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
