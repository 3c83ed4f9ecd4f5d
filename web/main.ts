import './csp.ts';
import '#web/styles/index.css';
import { onFirstInterest } from '#web/lib/first-interest.ts';
import { onFirstUse } from '#web/lib/first-use.ts';
import { holdPresses } from '#web/lib/held-press.ts';
import { followSystemTheme } from '#web/lib/theme-store.ts';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element with the id root.');

const load = async (readyPage?: string) => {
  fetchNamedScripts();
  await (await import('./start.tsx')).start(element, readyPage);
};

followSystemTheme();

// The server says which page it has sent ready to read. That page needs no script until somebody uses it. A visitor who
// comes back from the verification mail needs the session asked again, which only the whole application does.
const { page: readyPage, entry } = element.dataset;
if (entry !== undefined) holdPresses(element);
if (!readyPage || location.search.includes('verified=')) await load();
else if (readyPage.startsWith('/')) onFirstUse(element, () => load(readyPage));
else onFirstInterest(element, () => load(readyPage));

/** All at once those that the page names, which would otherwise be found one after the other. */
function fetchNamedScripts(): void {
  const named = document.querySelector<HTMLTemplateElement>('template#scripts');
  if (named) document.head.append(named.content);
}
