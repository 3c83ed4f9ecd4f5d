import './csp.ts';
import '#web/styles/index.css';
import { namedReads, startReads } from '#web/lib/api/early-reads.ts';
import { onFirstInterest } from '#web/lib/loading/first-interest.ts';
import { onFirstUse } from '#web/lib/loading/first-use.ts';
import { holdPresses } from '#web/lib/loading/held-press.ts';
import { followSystemTheme } from '#web/lib/theme-store.ts';

const paintMsMax = 100;

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element with the id root.');

const load = async (readyPage?: string) => {
  fetchNamedScripts();
  await (await import('./start.tsx')).start(element, readyPage);
};

followSystemTheme();
startReads();

// The server says which page it has sent ready to read. That page needs no script until somebody uses it. A visitor who
// comes back from the verification mail needs the session asked again, which only the whole application does.
const { page: readyPage, entry } = element.dataset;
if (entry !== undefined) holdPresses(element);
if (namedReads().length > 0) await painted();
if (!readyPage || location.search.includes('verified=')) await load();
else if (readyPage.startsWith('/')) onFirstUse(element, () => load(readyPage));
else onFirstInterest(element, () => load(readyPage));

/** Until the shape of the page is seen; a tab that nobody looks at draws nothing. */
function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, paintMsMax);
  });
}

/** All at once those that the page names, which would otherwise be found one after the other. */
function fetchNamedScripts(): void {
  const named = document.querySelector<HTMLTemplateElement>('template#scripts');
  if (named) document.head.append(named.content);
}
