import { useId } from 'react';
import { writingQuestions } from '#shared/rules/letters/writing-questions.ts';

/** Beginnings for owners who can't find any, by occasion. Each is inserted into the letter as if it had been typed. */
const beginnings = [
  {
    label: 'A day you would live again',
    note: 'the weather, who was there, what was said',
    opening: 'A day I would live again: ',
  },
  { label: 'Thank them for one exact thing', note: 'the smaller, the better', opening: 'I want to thank you for ' },
  {
    label: 'A birthday to come',
    note: 'what you were like at that age',
    opening: 'On this birthday, I want you to know: ',
  },
  { label: 'The day they marry', note: 'a blessing, a warning, a dance', opening: 'On the day you marry, ' },
  { label: 'Something you are sorry for', note: 'two lines are enough', opening: 'I am sorry that ' },
  {
    label: 'A recipe, a song, a place',
    note: 'what you want them to have',
    opening: 'A recipe, a song, a place I want you to have: ',
  },
  {
    label: 'What to do on the day',
    note: 'who to ring first, and where the kettle is',
    opening: 'First of all, put the kettle on. Then ring ',
  },
] as const;

/** The first of them that stands in a letter with nothing after it: its writer may have forgotten it there. */
export function unfinishedBeginning(content: string): string | undefined {
  const lines = content.split('\n').map((line) => line.trim());
  return [...beginnings, ...writingQuestions]
    .map(({ opening }) => opening.trim())
    .find((opening) => lines.includes(opening));
}

/** Pencil marks on the empty sheet. They disappear with the first typed letter. */
export function Pencil({ onBegin }: { onBegin: (opening: string) => void }) {
  const id = useId();
  return (
    <div className="pencil">
      <p className="pencil-head it" id={id}>
        Begin anywhere. Or with one of these:
      </p>
      <ul aria-labelledby={id}>
        {beginnings.map(({ label, note, opening }) => (
          <li key={label}>
            <button type="button" onClick={() => onBegin(opening)}>
              <span className="it">{label}</span> <small>{note}</small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
