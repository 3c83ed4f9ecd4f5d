import { Icon } from '#web/components/ui/icon.tsx';
import { type PartName, partNames } from './answers.rules.ts';
import { partTitles } from './words.ts';

/** List of the three parts, each marked as saved in the vault or not yet. */
export function PartList({ done }: { done: readonly PartName[] }) {
  return (
    <ul className="setup-parts">
      {partNames.map((part) => {
        const isDone = done.includes(part);
        return (
          <li key={part} data-done={isDone}>
            <Icon name={isDone ? 'check' : 'clock'} />
            <span>{partTitles[part]}</span>
            <span className="quiet">{isDone ? 'Saved' : 'Not yet'}</span>
          </li>
        );
      })}
    </ul>
  );
}
