import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

// Testing Library cleans up by itself only where the test functions are global, and ours are imported.
afterEach(cleanup);
