import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPage, type Service, startService } from '#web/pages/pages.test-world.tsx';
import { LinkSignInPage } from './link-sign-in.tsx';
import { UnlinkSignInPage } from './unlink-sign-in.tsx';

const token = 'n'.repeat(43);
const [readLink, pressLink] = [`GET /api/link-sign-in/${token}`, `POST /api/link-sign-in/${token}`];
const [readUnlink, pressUnlink] = [`GET /api/unlink-sign-in/${token}`, `POST /api/unlink-sign-in/${token}`];
const ofGoogle = { provider: 'Google', email: 's…@ashworth.example' };
const dead = { status: 404, body: { message: 'Gone', type: 'NOT_FOUND' } };

let service: Service;
beforeEach(() => {
  service = startService();
  service.answers[readLink] = { status: 200, body: { ...ofGoogle, askedAt: '2026-11-20T09:00:00.000Z' } };
  service.answers[readUnlink] = { status: 200, body: { ...ofGoogle, isLinked: true } };
});
afterEach(() => service.stop());

const openLink = () => openPage(LinkSignInPage, { route: '/link-sign-in/:token', at: `/link-sign-in/${token}` });
const openUnlink = () =>
  openPage(UnlinkSignInPage, { route: '/unlink-sign-in/:token', at: `/unlink-sign-in/${token}` });
const heading = (name: string) => screen.findByRole('heading', { level: 1, name });
const button = (name: string) => screen.findByRole('button', { name });

describe('the page that links a provider', () => {
  it('has one button in a form, and links nothing by being opened', async () => {
    openLink();
    expect(await heading('Link Google to your account?')).toBeDefined();
    expect(screen.getByText('s…@ashworth.example')).toBeDefined();
    expect(screen.getAllByRole('button')).toHaveLength(1);
    expect(document.querySelector('form')?.method).toBe('post');
    expect(service.calls.map(({ key }) => key)).toEqual([readLink]);
  });

  it('links with one press, sent once', async () => {
    service.answers[pressLink] = { status: 200, body: { provider: 'Google' } };
    openLink();
    await userEvent.dblClick(await button('Link Google to your account'));
    expect(await heading('Google is linked')).toBeDefined();
    expect(service.count(pressLink)).toBe(1);
  });

  it('says of an ended link how to get another', async () => {
    service.answers[readLink] = dead;
    openLink();
    expect(await heading('This link has ended')).toBeDefined();
    expect(screen.getByText(/Sign in as before for a new email/)).toBeDefined();
  });
});

describe('the page "This was not me" of a mail about a provider', () => {
  it.each([
    [true, /every device is signed out, yours too/],
    [false, /Google is refused, and the link in the email stops working/],
  ])('says what the press does if the provider is linked: %s', async (isLinked, words) => {
    service.answers[readUnlink] = { status: 200, body: { ...ofGoogle, isLinked } };
    openUnlink();
    expect(await screen.findByText(words)).toBeDefined();
    expect(service.calls.map(({ key }) => key)).toEqual([readUnlink]);
  });

  it.each([
    [true, 'The link with Google is removed'],
    [false, 'Google is refused'],
  ])('refuses with one press: linked %s', async (wasLinked, title) => {
    service.answers[pressUnlink] = { status: 200, body: { provider: 'Google', wasLinked } };
    openUnlink();
    await userEvent.click(await button('This was not me'));
    expect(await heading(title)).toBeDefined();
    expect(screen.getByText(/Change the password of your email account/)).toBeDefined();
  });

  it('says of an ended link what else helps', async () => {
    service.answers[pressUnlink] = dead;
    openUnlink();
    await userEvent.click(await button('This was not me'));
    expect(await heading('This link has ended')).toBeDefined();
  });
});
