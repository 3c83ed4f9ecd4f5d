import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// Testing Library cleans up by itself only where the test functions are global, and ours are imported.
afterEach(cleanup);

/** How long a page may take to show what is waited for: on a busy machine, and after the pauses of a call tried again. */
const showsWithinMs = 30_000;
configure({ asyncUtilTimeout: showsWithinMs });

// Files share a process and a document. Each loads our own modules again and begins with a document that nobody has
// been to.
vi.resetModules();
afterAll(() => {
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
  document.head.replaceChildren();
  document.documentElement.removeAttribute('class');
});
