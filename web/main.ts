import './csp.ts';
import '#web/styles/index.css';
import { onFirstInterest } from '#web/lib/first-interest.ts';
import { followSystemTheme } from '#web/lib/theme-store.ts';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element with the id root.');

const load = async (readyPage?: string) => (await import('./start.tsx')).start(element, readyPage);

followSystemTheme();

// The server says which page it has sent ready to read. That page needs no script until somebody uses it. A visitor who
// comes back from the verification mail needs the session asked again, which only the whole application does.
const { page: readyPage, entry } = element.dataset;
if (entry !== undefined) (await import('#web/lib/held-press.ts')).holdPresses(element);
if (!readyPage || location.search.includes('verified=')) await load();
// A page behind a link asks for an answer, so it is brought to life at once.
else if (readyPage.startsWith('/')) await load(readyPage);
else onFirstInterest(element, () => load(readyPage));
