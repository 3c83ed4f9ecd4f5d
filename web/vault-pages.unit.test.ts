import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasSignedInPage } from '#web/routes.tsx';
import { vaultPages } from '#web/vault-pages.ts';

test.each(Object.entries(vaultPages))(
  '%s names a page that there is, and reads without a part of its own',
  (path, page) => {
    expect(hasSignedInPage(path)).toBe(true);
    expect(existsSync(join(import.meta.dirname, page.source))).toBe(true);
    expect(page.reads.map(({ method }) => method)).toEqual(page.reads.map(() => 'GET'));
    expect(page.reads.filter((route) => route.path.includes(':'))).toEqual([]);
  },
);
