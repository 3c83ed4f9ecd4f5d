import './csp.ts';
import '#web/styles/index.css';
import { namedReads, startReads } from '#web/lib/api/early-reads.ts';
import { reloadFailedStyles } from '#web/lib/loading/failed-styles.ts';
import { onFirstInterest } from '#web/lib/loading/first-interest.ts';
import { onFirstUse } from '#web/lib/loading/first-use.ts';
import { holdPresses, leaveToBrowser } from '#web/lib/loading/pending-press.ts';
import { followSystemTheme } from '#web/lib/theme-store.ts';
import { guardTranslatedPage } from '#web/lib/translation-guard.ts';

const paintMsMax = 100;

const element = document.getElementById('root');
if (!element) throw new Error('The page has no element with the id root.');

const load = async (readyPage?: string) => {
  fetchNamedScripts();
  await (await import('./start.tsx')).start(element, readyPage);
};

followSystemTheme();
reloadFailedStyles();
// Before any script draws: a reader can have a page translated that React takes over later.
guardTranslatedPage();
startReads();

// The server names the page that it sent ready to read. That page needs no script before its first use. After the
// return from the verification mail the session must be read again, which only the whole application does.
const { page: readyPage, entry } = element.dataset;
if (entry !== undefined) holdPresses(element);
if (namedReads().length > 0) await painted();
if (!readyPage || location.search.includes('verified=')) load().catch(() => sayItFailed(element));
else if (readyPage.startsWith('/')) onFirstUse(element, () => load(readyPage));
else onFirstInterest(element, () => load(readyPage));

/** A plain page works by itself; any other says why it stays empty. */
function sayItFailed(root: HTMLElement): void {
  if (entry !== undefined) {
    leaveToBrowser();
    return;
  }
  const place = root.querySelector('main') ?? root;
  const [title, words, again] = [
    document.createElement('h1'),
    document.createElement('p'),
    document.createElement('a'),
  ];
  title.textContent = 'This page could not be shown';
  words.textContent = 'What you saved is safe. Load the page again, or come back in a few minutes.';
  again.textContent = 'Load the page again';
  again.href = '';
  place.removeAttribute('aria-busy');
  place.replaceChildren(title, words, again);
}

/** Waits until the page's first frame is visible; a hidden tab draws nothing. */
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
