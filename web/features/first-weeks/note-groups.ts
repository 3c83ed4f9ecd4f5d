import type { FirstWeeksField } from '#shared/rules/first-weeks/notes.ts';

type NoteGroup = { title: string; fields: readonly { name: FirstWeeksField; hint: string }[] };

/** Groups of the form with a hint for each field. */
export const noteGroups: readonly NoteGroup[] = [
  {
    title: 'The first days',
    fields: [
      { name: 'people', hint: 'Whom to ring first, and who tells the others.' },
      { name: 'pets', hint: 'Who takes them on the first night, and what they need.' },
      { name: 'gp', hint: 'The surgery, and hospital teams that know you.' },
      { name: 'funeral', hint: 'Burial or cremation, the place, music, and a funeral plan with its firm and number.' },
    ],
  },
  {
    title: 'Papers',
    fields: [
      { name: 'will', hint: 'Where the signed paper is. A file here is not a valid will.' },
      { name: 'solicitor', hint: 'Name and town of the firm, and who the executors are.' },
      { name: 'passport', hint: 'Where they are. Their numbers and your National Insurance number help too.' },
    ],
  },
  {
    title: 'Home and money',
    fields: [
      { name: 'home', hint: 'Whom to tell, and the number of the account or the tenancy.' },
      { name: 'insurance', hint: 'Home, life and health insurance, with policy numbers.' },
      { name: 'utilities', hint: 'The firms, and where the meters and the stopcock are.' },
      { name: 'vehicles', hint: 'The registration, and where the log book and the keys are.' },
      { name: 'bank', hint: 'Names of banks and building societies, and where the papers are.' },
      { name: 'pension', hint: 'State, work and private pensions, with their numbers.' },
      { name: 'employer', hint: 'Whom to tell at work.' },
    ],
  },
  {
    title: 'Online',
    fields: [
      { name: 'digital', hint: 'Main email address, photos and accounts, and what to do with them. No passwords.' },
    ],
  },
];
