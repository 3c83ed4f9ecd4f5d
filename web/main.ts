import './csp.ts';
import '#web/styles/index.css';
import { onFirstInterest } from '#web/lib/first-interest.ts';
import { followSystemTheme } from '#web/lib/theme-store.ts';

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element with the id root.');

const load = async (isReadyToRead: boolean) => (await import('./start.tsx')).start(element, isReadyToRead);

followSystemTheme();

// The server says which page it has sent ready to read. That page needs no script until somebody uses it. A visitor who
// comes back from the verification mail needs the session asked again, which only the whole application does.
const isReadyToRead = element.dataset.page === 'landing' && !location.search.includes('verified=');
if (isReadyToRead) onFirstInterest(element, () => load(true));
else await load(false);
