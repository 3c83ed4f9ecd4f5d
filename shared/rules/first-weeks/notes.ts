/** First sentences of the page and of its PDF. A release may come long after the days that the page names. */
export const firstWeeksIntro =
  'Some of these days may have passed. Do what is not done yet, and leave the rest. It does not all have to be you.';

/** Longest note in one field, in characters: about a page of a letter. */
export const firstWeeksNoteLengthMax = 2_000;

/** Parts of the United Kingdom with a law of their own for the days after a death. */
export const firstWeeksNations = ['england-and-wales', 'scotland', 'northern-ireland'] as const;
export type FirstWeeksNation = (typeof firstWeeksNations)[number];

export const firstWeeksNationNames: Record<FirstWeeksNation, string> = {
  'england-and-wales': 'England and Wales',
  scotland: 'Scotland',
  'northern-ireland': 'Northern Ireland',
};

/** Fields of the form, in its order, with their labels in the form, on the page and in exports. */
export const firstWeeksLabels = {
  will: 'Where the will is',
  solicitor: 'Solicitor and executors',
  funeral: 'Funeral wishes',
  people: 'People to tell',
  pets: 'Pets',
  gp: 'GP',
  passport: 'Passport and driving licence',
  home: 'Landlord or mortgage',
  insurance: 'Insurance',
  utilities: 'Gas, electricity, water and phone',
  bank: 'Bank',
  pension: 'Pension',
  employer: 'Employer',
  vehicles: 'Vehicles',
  digital: 'Accounts online',
} as const;

export type FirstWeeksField = keyof typeof firstWeeksLabels;
export const firstWeeksFields = Object.keys(firstWeeksLabels) as FirstWeeksField[];

/** An owner’s notes. An empty field is null. Without a nation the page shows the law of all three. */
export type FirstWeeksNotes = Record<FirstWeeksField, string | null> & { nation: FirstWeeksNation | null };

export const noFirstWeeksNotes: FirstWeeksNotes = {
  nation: null,
  ...(Object.fromEntries(firstWeeksFields.map((field) => [field, null])) as Record<FirstWeeksField, null>),
};

/** True if the owner noted nothing. */
export function areFirstWeeksEmpty(notes: FirstWeeksNotes): boolean {
  return notes.nation === null && firstWeeksFields.every((field) => notes[field] === null);
}

/** Filled fields of the notes, with their labels. */
export function notedFields(notes: FirstWeeksNotes): { label: string; words: string }[] {
  const { nation } = notes;
  const where = nation ? [{ label: 'Law', words: firstWeeksNationNames[nation] }] : [];
  const noted = firstWeeksFields.flatMap((field) => {
    const words = notes[field];
    return words === null ? [] : [{ label: firstWeeksLabels[field], words }];
  });
  return [...where, ...noted];
}
