import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { ConfirmedPage } from './confirmed.tsx';

let service: Service;
beforeEach(() => {
  service = startService();
  const providers = [{ slug: 'our-login', name: 'Our Login' }];
  service.answers['GET /api/auth/providers'] = { status: 200, body: { providers } };
});
afterEach(() => service.stop());

const open = (query = '') => openPage(ConfirmedPage, { route: '/confirmed', at: `/confirmed${query}` });

describe('The tab in which a provider was asked', () => {
  it('says that it is confirmed, and asks for no names', () => {
    open();
    expect(screen.getByRole('heading', { name: 'Thank you, that is confirmed' })).toBeDefined();
    expect(service.count('GET /api/auth/providers')).toBe(0);
  });

  it.each([
    ['google_auth_failed', 'Google did not confirm that it is you'],
    ['google_sign_in_old', 'Your sign-in at Google is too old'],
    ['our_login_auth_failed', 'Our Login did not confirm that it is you'],
    ['our_login_sign_in_old', 'Your sign-in at Our Login is too old'],
    ['call_0800_at_once_auth_failed', 'The other service did not confirm that it is you'],
    ['call_0800_at_once_sign_in_old', 'Your sign-in at the other service is too old'],
    ['something', 'The other service did not confirm that it is you'],
  ])('says why it is not, by the names of those who are set up here alone: %s', async (error, heading) => {
    open(`?error=${error}`);
    expect(await screen.findByRole('heading', { name: heading })).toBeDefined();
    expect(document.body.textContent).not.toContain('0800');
  });
});
