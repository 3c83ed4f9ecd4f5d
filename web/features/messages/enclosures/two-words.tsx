import {
  comparedFields,
  FieldList,
  TwoVersions,
  thisWindow,
  type Which,
} from '#web/components/versions/two-versions.tsx';
import { type Enclosing, picturesOf } from './enclosing.ts';
import type { WordsElsewhere } from './store-enclosures.ts';

type TwoWordsProps = {
  elsewhere: WordsElsewhere;
  enclosings: readonly Enclosing[];
  onChoose: (which: Which) => void;
};

/** Words to one picture or voice that were changed in two places: both as they are, and the choice. */
export function TwoWords({ elsewhere: { key, stored }, enclosings, onChoose }: TwoWordsProps) {
  const mine = enclosings.find((each) => each.key === key);
  if (!mine) return null;
  const isVoice = mine.kind === 'voice';
  const fields = comparedFields<Pick<Enclosing, 'caption' | 'transcript'>>(mine, stored, [
    { label: isVoice ? 'Words above it' : 'What it shows, in a line', of: ({ caption }) => caption.trim() },
    ...(isVoice
      ? [{ label: 'What you say, in words', of: ({ transcript }: Pick<Enclosing, 'transcript'>) => transcript.trim() }]
      : []),
  ]);
  const what = isVoice ? 'your recording' : `picture ${picturesOf(enclosings).indexOf(mine) + 1}`;
  return (
    <TwoVersions
      title={`The words to ${what} were changed in another window or on another device`}
      text="The words of your letter are saved. Here are both texts. Choose the one to go on with, then save once more."
      these={{ title: thisWindow, children: <FieldList fields={fields.these} /> }}
      other={{ title: 'Saved elsewhere', children: <FieldList fields={fields.other} /> }}
      onChoose={onChoose}
    />
  );
}
