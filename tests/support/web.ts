import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// Testing Library cleans up by itself only where the test functions are global, and ours are imported.
afterEach(cleanup);

/** Time for a page to show an expected element: on a busy machine, and after the pauses of a retry. */
const showsWithinMs = 30_000;
configure({ asyncUtilTimeout: showsWithinMs });

// Files share a process and a document. Each loads our modules again and starts with an empty document.
vi.resetModules();
afterAll(() => {
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
  document.head.replaceChildren();
  document.documentElement.removeAttribute('class');
});
