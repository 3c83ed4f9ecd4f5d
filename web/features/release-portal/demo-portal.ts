import type { Portal } from '#shared/contract/release/portal.ts';
import { lastReminderLeadDays, silenceSchedule } from '#shared/rules/inactivity.ts';

/** Made-up people and papers: the demonstration asks the service for nothing. */
export const demoPortal: Portal = {
  user: { firstName: 'Sam', lastName: 'Ashworth', email: 'sam@ashworth.example' },
  contact: { name: 'Priya Shah', email: 'priya@post.example' },
  token: '',
  inactivityDays: 180,
  messages: [
    {
      id: '00000000-0000-4000-8000-000000000001',
      title: 'For Nell, when it is time',
      recipientEmail: 'nell@ashworth.example',
      recipients: [{ name: 'Nell', relation: 'Daughter', email: 'nell@ashworth.example' }],
      createdAt: '2026-03-02T10:00:00.000Z',
      isVisible: true,
    },
    {
      id: '00000000-0000-4000-8000-000000000002',
      title: 'Where the papers are',
      recipientEmail: 'priya@post.example',
      recipients: [{ name: 'Priya Shah', relation: null, email: 'priya@post.example' }],
      createdAt: '2026-02-08T10:00:00.000Z',
      isVisible: true,
    },
  ],
  messagesLeftOut: 0,
  privateMessageCount: 2,
  // The demonstration lists its documents itself, with their details.
  documents: [],
  documentCount: 0,
  documentsFrom: 0,
  documentsUntil: null,
  hasFirstWeeks: false,
  state: 'open',
  stoppedBy: null,
  lastActivityAt: '2026-03-13T09:00:00.000Z',
  silentDays: 180,
  awayUntil: null,
  history: [
    { what: 'last_activity', at: '2026-03-13T09:00:00.000Z', isPast: true },
    { what: 'first_reminder', at: '2026-06-11T09:00:00.000Z', isPast: true },
    { what: 'last_reminder', at: '2026-08-30T09:00:00.000Z', isPast: true },
    { what: 'contacts_asked', at: '2026-09-09T09:00:00.000Z', isPast: true },
  ],
  otherContactNames: ['Tom'],
  askedNames: ['Tom'],
  quorum: 1,
  confirmations: 0,
  releaseMethod: 'trusted_contact',
  goAloneAt: null,
  isEarly: false,
  waitingDays: 0,
  held: null,
  ifCancelled: {
    toldNames: ['Tom'],
    askAgainDays: 30,
    canOthersConfirm: false,
    isOwnerTold: true,
    isRequestOver: false,
  },
  aliveSaidAt: null,
  canTakeBack: false,
  canSayNotAsked: false,
  otherAddress: null,
  declining: [],
  outcome: null,
};

export type DemoDocument = { name: string; category: string; fileSizeBytes: number; uploadDate: string };

export const demoDocuments: readonly DemoDocument[] = [
  { name: 'Copy of the will', category: 'Legal', fileSizeBytes: 412_000, uploadDate: '2026-01-20T10:00:00.000Z' },
  {
    name: 'Life cover, policy',
    category: 'Financial',
    fileSizeBytes: 1_260_000,
    uploadDate: '2026-01-20T10:12:00.000Z',
  },
  { name: 'House deeds', category: 'Property', fileSizeBytes: 3_480_000, uploadDate: '2026-02-04T18:30:00.000Z' },
  {
    name: 'Wishes for the funeral',
    category: 'Personal',
    fileSizeBytes: 86_000,
    uploadDate: '2026-02-08T09:45:00.000Z',
  },
];

const { firstReminderDay, lastReminderDay, contactsAskedDay } = silenceSchedule({
  inactivityDays: demoPortal.inactivityDays,
  releaseMethod: demoPortal.releaseMethod,
  answerDays: 0,
});

/** Steps that lead to this page. */
export const demoSteps: readonly { title: string; text: string }[] = [
  {
    title: `Day ${firstReminderDay}`,
    text: 'An SMS reminder to the account holder, and an email with a button to check in.',
  },
  {
    title: `Day ${lastReminderDay}`,
    text: `A second SMS reminder and a last email, ${lastReminderLeadDays} days before anybody else is asked.`,
  },
  {
    title: `After ${contactsAskedDay} days`,
    text: 'An email to the trusted contacts, with a link to a page like this one.',
  },
  { title: 'Then', text: 'A contact confirms, and the messages go out. Or a contact cancels, and nothing is sent.' },
];

export const demoSummary = `SMS reminders at ${firstReminderDay} and ${lastReminderDay} days, then an email to trusted contacts after ${contactsAskedDay} days.`;
