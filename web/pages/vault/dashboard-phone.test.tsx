import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PhoneTrouble } from '#shared/contract/phone.ts';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { DashboardPage } from './dashboard.tsx';
import { ok, openPage, refused, type Service, sam, startVault } from './vault.test-world.ts';

const put = 'PUT /api/user-profile';
const profileWith = (phone: string | null) => ({
  phone,
  isPhoneProven: phone !== null,
  phoneTrouble: null as PhoneTrouble | null,
  releaseMethod: 'inactivity',
  inactivityDays: 90,
  hasChosenSettings: true,
});

let service: Service;
beforeEach(() => {
  service = startVault();
});
afterEach(() => service.stop());

/** Opens the card of an owner with number `phone`. */
async function open(phone: string | null) {
  service.answers['GET /api/auth/user'] = ok({ ...sam, phone, isPhoneProven: phone !== null });
  openPage(DashboardPage, { route: '/', at: '/' });
  return within(await screen.findByRole('region', { name: 'Reminders by text' }));
}

/** The service keeps this number, and says so. */
function keeps(phone: string | null): void {
  service.answers[put] = ok(profileWith(phone));
  service.answers['GET /api/auth/user'] = ok({ ...sam, phone, isPhoneProven: phone !== null });
}

const saved = () => service.calls.filter(({ key }) => key === put).map(({ body }) => body);
const toldOf = async (title: string) => waitFor(() => expect(currentToasts()[0]).toMatchObject({ title }));

describe('Reminders by text', () => {
  it('say what texts are sent and how they are answered, and take a number', async () => {
    const card = await open(null);
    expect(card.getByText(/Reply YES to tell us that you are there/)).toBeTruthy();
    expect(card.queryByRole('button', { name: 'Remove the number' })).toBeNull();

    keeps('07700 900123');
    await pasteInto(card.getByLabelText('Phone number'), ' 07700 900123 ');
    await userEvent.click(card.getByRole('button', { name: 'Save the number' }));
    await toldOf('Number saved');
    expect(saved()).toEqual([{ phone: '07700 900123' }]);
    expect(await card.findByRole('button', { name: 'Remove the number' })).toBeTruthy();
    expect(card.getByLabelText<HTMLInputElement>('Phone number').value).toBe('07700 900123');
  });

  it.each(['', '12', 'call me'])('send nothing for “%s”, and say what a number looks like', async (words) => {
    const card = await open('07700 900123');
    const field = card.getByLabelText('Phone number');
    await userEvent.clear(field);
    if (words) await pasteInto(field, words);
    await userEvent.click(card.getByRole('button', { name: 'Save the number' }));
    expect(await card.findByText('Please enter a phone number, such as 07700 900123')).toBeTruthy();
    expect(document.activeElement).toBe(field);
    expect(saved()).toEqual([]);
  });

  it('end with a press, and say where reminders go then', async () => {
    const card = await open('07700 900123');
    expect(card.getByLabelText<HTMLInputElement>('Phone number').value).toBe('07700 900123');
    keeps(null);
    await userEvent.click(card.getByRole('button', { name: 'Remove the number' }));
    await toldOf('Number removed');
    expect(saved()).toEqual([{ phone: null }]);
    expect(await card.findByText(/Reminders go to your email address\./)).toBeTruthy();
    expect(card.getByLabelText<HTMLInputElement>('Phone number').value).toBe('');
  });

  it('ask for the identity again if the service needs it, and keep the typed text', async () => {
    service.answers[put] = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
    const card = await open(null);
    await pasteInto(card.getByLabelText('Phone number'), '07700 900123');
    await userEvent.click(card.getByRole('button', { name: 'Save the number' }));
    const question = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }));
    await userEvent.click(question.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(card.getByLabelText<HTMLInputElement>('Phone number').value).toBe('07700 900123');

    await userEvent.click(card.getByRole('button', { name: 'Save the number' }));
    await pasteInto(await screen.findByLabelText('Password'), 'lemon cake');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    keeps('07700 900123');
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save the number' }));
    await toldOf('Number saved');
  });

  it('say beside the number why it could not be saved', async () => {
    const message = 'Confirm your email address to change your settings.';
    service.answers[put] = refused(403, message, { type: 'EMAIL_VERIFICATION_REQUIRED' });
    const card = await open(null);
    await pasteInto(card.getByLabelText('Phone number'), '07700 900123');
    await userEvent.click(card.getByRole('button', { name: 'Save the number' }));
    expect(await card.findByText(message)).toBeTruthy();
  });

  it('wait for the code of our text where the number is new, and begin once it is typed', async () => {
    const verify = 'POST /api/user/phone/verify';
    const number = { phone: '07700 900123', isPhoneProven: false };
    const card = await open(null);
    service.answers[put] = ok({ ...profileWith(number.phone), isPhoneProven: false });
    service.answers['GET /api/auth/user'] = ok({ ...sam, ...number });
    service.answers['GET /api/user-profile'] = ok({ ...profileWith(number.phone), isPhoneProven: false });
    await pasteInto(card.getByLabelText('Phone number'), number.phone);
    await userEvent.click(card.getByRole('button', { name: 'Save the number' }));
    await toldOf('Number saved');
    expect(await card.findByText(/is not confirmed yet/)).toBeTruthy();

    await userEvent.click(card.getByRole('button', { name: 'Confirm the number' }));
    expect(await card.findByText('Type the six digits of the text')).toBeTruthy();
    service.answers[verify] = refused(400, 'That code has expired. Ask for a new one.', { type: 'VALIDATION' });
    await pasteInto(card.getByLabelText('Code from the text'), '123 456');
    await userEvent.click(card.getByRole('button', { name: 'Confirm the number' }));
    expect(await card.findByText('That code has expired. Ask for a new one.')).toBeTruthy();

    service.answers['POST /api/user/phone/resend'] = ok({ message: 'A new code is on its way to your phone.' });
    await userEvent.click(card.getByRole('button', { name: 'Text me a code' }));
    await toldOf('Code asked for');
    keeps(number.phone);
    service.answers[verify] = ok(profileWith(number.phone));
    await pasteInto(card.getByLabelText('Code from the text'), '654321');
    await userEvent.click(card.getByRole('button', { name: 'Confirm the number' }));
    await toldOf('Number confirmed');
    expect(service.calls.filter(({ key }) => key === verify).map(({ body }) => body)).toEqual([
      { code: '123456' },
      { code: '654321' },
    ]);
    await waitFor(() => expect(card.queryByText(/is not confirmed yet/)).toBeNull());
  });

  it.each([
    ['landline', /it may be a landline\. Save a mobile number instead\./],
    ['stopped', /Text START from it, then ask for a new code\./],
    ['refused', /Check its digits, or save another number\./],
  ] as const)('say why no code arrives: %s', async (trouble, words) => {
    const unproven = { ...profileWith('07700 900123'), isPhoneProven: false };
    service.answers['GET /api/auth/user'] = ok({ ...sam, phone: '07700 900123', isPhoneProven: false });
    service.answers['GET /api/user-profile'] = ok(unproven);
    openPage(DashboardPage, { route: '/', at: '/' });
    const card = within(await screen.findByRole('region', { name: 'Reminders by text' }));
    expect(card.getByText(/We text you a code of six digits/)).toBeTruthy();

    service.answers['GET /api/user-profile'] = ok({ ...unproven, phoneTrouble: trouble });
    service.answers['POST /api/user/phone/resend'] = ok({ message: 'A new code is on its way to your phone.' });
    await userEvent.click(card.getByRole('button', { name: 'Text me a code' }));
    expect((await card.findByRole('alert')).textContent).toMatch(words);
    expect(card.getByRole('button', { name: 'Text me a code' })).toBeTruthy();
  });

  it('ask for the email address first, while it is not confirmed', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, phone: '07700 900123', emailVerified: false });
    openPage(DashboardPage, { route: '/', at: '/' });
    const card = within(await screen.findByRole('region', { name: 'Reminders by text' }));
    expect(card.getByText(/Confirm your email address first/)).toBeTruthy();
    expect(card.queryByRole('button', { name: 'Text me a code' })).toBeNull();
  });
});
