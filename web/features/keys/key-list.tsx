import { isApple } from './key-press.ts';
import './keys.css';

/** Keyboard shortcuts and their actions. */
export function KeyList() {
  const rows: readonly { keys: readonly string[]; does: string }[] = [
    { keys: [isApple() ? '⌘' : 'Ctrl', 'K'], does: 'Find a page, a letter, a document or a contact' },
    { keys: ['N'], does: 'Write a new letter' },
    { keys: ['/'], does: 'Go to the search on this page' },
    { keys: ['?'], does: 'Show this list of keys' },
  ];
  return (
    <dl className="key-list">
      {rows.map(({ keys, does }) => (
        <div key={does}>
          <dt>
            {keys.map((key) => (
              <kbd className="key" key={key}>
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
