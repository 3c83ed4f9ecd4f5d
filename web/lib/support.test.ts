import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { supportEmail as builtSupportEmail } from '#shared/product.ts';

afterEach(() => {
  document.head.innerHTML = '';
  vi.resetModules();
});

const asRead = async () => (await import('./support.ts')).supportEmail;

describe('the address for people who need help', () => {
  it('is the mailbox that the page was sent with', async () => {
    document.head.innerHTML = '<meta name="support-email" content="hello@vault.example">';
    expect(await asRead()).toBe('hello@vault.example');
  });

  it('is the one it was built with where the page says nothing', async () => {
    expect(await asRead()).toBe(builtSupportEmail);
  });

  it('stands in the template as the server looks for it', async () => {
    const template = await readFile('web/index.html', 'utf8');
    expect(template).toContain(`<meta name="support-email" content="${builtSupportEmail}" />`);
  });
});
