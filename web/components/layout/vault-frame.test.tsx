import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type VaultPath, vaultHeadings } from '#web/content/vault-headings.ts';
import { VaultFrame } from './vault-frame.tsx';

test.each(Object.keys(vaultHeadings) as VaultPath[])('%s shows Loading... until its page is there', (path) => {
  render(<VaultFrame path={path} />);
  const status = screen.getByRole('status');
  expect(status.textContent).toBe('Loading...');
  expect(status.closest('[aria-hidden]')).toBeNull();
});
