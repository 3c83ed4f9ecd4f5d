import {
  comparedFields,
  FieldList,
  lowerFirst,
  savedElsewhere,
  TwoVersions,
  thisWindow,
  titleFrom,
  type Which,
} from '#web/components/versions/two-versions.tsx';
import { deliverOnOf, whenWords } from '#web/lib/own-day.ts';
import { readerName } from '#web/lib/reader-names.ts';
import { categoryLabels } from '../category-labels.ts';
import type { WritingInput } from '../writing.ts';

type TwoLettersProps = {
  these: WritingInput;
  other: { writing: WritingInput; updatedAt: string };
  /** Name of the file beside each version; empty for none. */
  files?: { these: string; other: string };
  /** `saved`: the other version is the saved letter. `draft`: it is an unsaved draft. */
  kind: 'draft' | 'saved';
  onChoose: (which: Which) => void;
};

const words = {
  draft: {
    title: 'You have written to this letter in two places',
    text: 'Here are both. Choose the one to go on with. Choosing saves and sends nothing.',
    these: 'On this device',
    other: 'On another device',
  },
  saved: {
    title: 'This letter was changed in another window or on another device',
    text: savedElsewhere,
    these: thisWindow,
    other: 'Saved elsewhere',
  },
} as const;

/** One letter that was written to in two places: both as they are, and the choice. */
export function TwoLetters({ these, other, files, kind, onChoose }: TwoLettersProps) {
  const { title, text, ...places } = words[kind];
  const settings = comparedFields<Shown>(
    { ...these, file: files?.these },
    { ...other.writing, file: files?.other },
    settingsShown,
  );
  const theirs = titleFrom(places.other, other.updatedAt);
  return (
    <TwoVersions
      title={title}
      text={text}
      these={{
        title: places.these,
        children: <LetterVersion title={places.these} writing={these} settings={settings.these} />,
      }}
      other={{
        title: theirs,
        children: <LetterVersion title={theirs} writing={other.writing} settings={settings.other} />,
      }}
      onChoose={onChoose}
    />
  );
}

type Shown = WritingInput & { file?: string | undefined };

const yesOrNo = (value: boolean | undefined) => (value ? 'Yes' : 'No');

/** Shown only if they differ. */
const settingsShown: Parameters<typeof comparedFields<Shown>>[2] = [
  { label: 'Goes to', of: ({ recipients }) => recipients.map(({ email }) => email.trim()).join(', ') },
  {
    label: 'When it goes',
    of: ({ when = 'once', day = '', months = '' }) => whenWords(deliverOnOf({ when, day, months })),
  },
  { label: 'Category', of: ({ category = 'personal' }) => categoryLabels[category] },
  { label: 'Its title is shown to contacts', of: ({ visibleToTrustedContact: is }) => yesOrNo(is) },
  { label: 'Readers see each other', of: ({ showRecipients: is }) => yesOrNo(is) },
  { label: 'Readers hear before its day', of: ({ announceWait: is }) => yesOrNo(is) },
  { label: 'File', of: ({ file = '' }) => file },
  { label: 'Words said in the video', of: ({ attachmentTranscript = '' }) => attachmentTranscript },
];

type LetterVersionProps = {
  title: string;
  writing: WritingInput;
  settings: ReturnType<typeof comparedFields>['these'];
};

function LetterVersion({ title, writing, settings }: LetterVersionProps) {
  const readers = writing.recipients.map((reader) => readerName(reader) || reader.email).filter(Boolean);
  const differing = settings.filter(({ isDifferent }) => isDifferent);
  return (
    <>
      {readers.length > 0 ? <p className="small quiet">For {readers.join(', ')}</p> : null}
      <p className="version-title">{writing.title.trim() || 'No title yet'}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys. */}
      <section className="version-words" tabIndex={0} aria-label={`Words ${lowerFirst(title)}`}>
        {writing.locked ? 'Sealed with a passphrase. Choose it to open it.' : writing.content.trim() || 'No words yet.'}
      </section>
      {differing.length > 0 ? <FieldList fields={differing} /> : null}
    </>
  );
}
