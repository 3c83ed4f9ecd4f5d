import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { longDate } from '#web/lib/format.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { ContactsPage } from './contacts.tsx';
import {
  contactOf,
  daysFromNow,
  holdAnswers,
  idOf,
  ok,
  openPage,
  refused,
  type Service,
  sam,
  startVault,
} from './vault.test-world.ts';

const priya = contactOf();
const tom = contactOf({
  id: idOf(21),
  name: 'Tom Reed',
  email: 'tom@post.example',
  relationship: 'Solicitor',
  phone: null,
  isConfirmed: false,
});

let service: Service;
beforeEach(() => {
  service = startVault();
  service.answers['GET /api/trusted-contacts'] = ok([priya, tom]);
});
afterEach(() => service.stop());

async function open() {
  openPage(ContactsPage, { route: '/contacts', at: '/contacts' });
  await screen.findByRole('heading', { name: /^\d+ Contacts?$/ });
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const lastToast = () => currentToasts()[0];
const expectToast = (expected: Record<string, string>) => waitFor(() => expect(lastToast()).toMatchObject(expected));
const cardOf = (name: string) => within(screen.getByRole('heading', { name }).closest('li') as HTMLElement);

describe('The list of trusted contacts', () => {
  it('tells of each who they are, how to reach them and whether they have said yes', async () => {
    await open();
    expect(screen.getByRole('heading', { level: 1, name: 'Trusted Contacts' })).toBeDefined();
    expect(screen.getByRole('heading', { name: '2 Contacts' })).toBeDefined();
    const card = cardOf('Priya Shah');
    for (const words of ['Friend', 'priya@post.example', '07700 900456', 'Confirmed', longDate(daysFromNow(-9))]) {
      expect(card.getByText(words)).toBeDefined();
    }
    expect(card.getByRole('img', { name: 'Active' }).className).toContain('dot-on');
  });

  it('shows a sign for the relationship', async () => {
    await open();
    const kinds = [...document.querySelectorAll('[data-kind]')].map((icon) => icon.getAttribute('data-kind'));
    expect(kinds).toEqual(['friend', 'lawyer']);
  });

  it('has a grey dot for a contact who is switched off', async () => {
    service.answers['GET /api/trusted-contacts'] = ok([contactOf({ isActive: false })]);
    await open();
    expect(cardOf('Priya Shah').getByRole('img', { name: 'Not active' }).className).toBe('dot');
    expect(cardOf('Priya Shah').getByText('Switched off')).toBeDefined();
  });

  it('has a grey dot for a contact who has not said yes yet', async () => {
    service.answers['GET /api/trusted-contacts'] = ok([contactOf({ isConfirmed: false, confirmedAt: null })]);
    await open();
    const dot = cardOf('Priya Shah').getByRole('img', { name: 'Not active until they say yes' });
    expect(dot.className).toBe('dot');
  });

  it('is searched by name, address and relationship', async () => {
    await open();
    const search = screen.getByPlaceholderText('Search contacts...');
    for (const [words, found] of [
      ['PRIYA', 'Priya Shah'],
      ['tom@', 'Tom Reed'],
      ['solicitor', 'Tom Reed'],
    ] as const) {
      await userEvent.clear(search);
      await pasteInto(search, words);
      expect(screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)).toEqual([found]);
    }
    await pasteInto(search, ' of nowhere');
    expect(screen.getByText('No contacts found')).toBeDefined();
  });

  it('is empty at first', async () => {
    service.answers['GET /api/trusted-contacts'] = ok([]);
    await open();
    expect(screen.getByText('No trusted contacts yet')).toBeDefined();
  });
});

describe('Naming a contact', () => {
  async function name(words: Record<string, string> = {}) {
    await open();
    await userEvent.click(button('Add Trusted Contact'));
    const all = { 'Full Name *': 'Ada Lane', 'Email Address *': 'Ada@Post.example', ...words };
    for (const [label, value] of Object.entries(all)) await pasteInto(screen.getByLabelText(label), value);
  }
  const add = () => userEvent.click(button('Add Contact'));

  it('needs a name and a real address', async () => {
    await open();
    await userEvent.click(button('Add Trusted Contact'));
    expect(screen.getByRole('dialog', { name: 'Add Trusted Contact' })).toBeDefined();
    await add();
    expect(screen.getByText('Required')).toBeDefined();
    expect(screen.getByText('Please enter a valid email address')).toBeDefined();
    expect(document.activeElement).toBe(screen.getByLabelText('Full Name *'));
  });

  it('shows the email as it arrives, with a word of the owner last, and what the press causes', async () => {
    await name();
    await pasteInto(screen.getByLabelText('A word from you (optional)'), 'Would you do this for me?');
    const dialog = within(screen.getByRole('dialog'));
    expect(dialog.getByText('The email Ada gets')).toBeDefined();
    // As in the email: the whole name first, and then the first name.
    expect(dialog.getByText(/has named you/).textContent).toBe('Sam Ashworth has named you as a trusted contact');
    expect(dialog.getByText(/keeps messages/).textContent).toMatch(/^Sam keeps messages/);
    const word = dialog.getByText('“Would you do this for me?”');
    const button = dialog.getByText('Answer the invitation');
    expect(button.compareDocumentPosition(word)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    expect(dialog.getByText('We email Ada as soon as you press Add Contact')).toBeDefined();
    expect(dialog.getByText('You hear it from us. We don’t ask Ada again.')).toBeDefined();
  });

  it('refuses a telephone number that is none', async () => {
    await name({ Phone: 'by post' });
    await add();
    expect(screen.getByText('Please enter a phone number, such as 07700 900123')).toBeDefined();
  });

  it('says beside the number why it can’t be texted, and keeps the typed text', async () => {
    const message = 'We can’t text a landline. Please enter a mobile number, such as 07700 900123';
    const issues = [{ path: 'phone', message }];
    service.answers['POST /api/trusted-contacts'] = refused(400, message, { type: 'VALIDATION', issues });
    await name({ Phone: '020 7946 0018' });
    await add();
    const field = screen.getByLabelText<HTMLInputElement>('Phone');
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(screen.getAllByText(message)).toHaveLength(1);
    expect(field.getAttribute('aria-describedby')).toBe(screen.getByText(message).id);
    expect(field.value).toBe('020 7946 0018');
  });

  it('saves it once, says who has been invited, and reads the list again', async () => {
    service.answers['POST /api/trusted-contacts'] = { status: 201, body: priya };
    await name({ Relationship: 'Sister' });
    const answer = holdAnswers();
    const reads = service.count('GET /api/trusted-contacts');
    await userEvent.dblClick(button('Add Contact'));
    answer();
    await expectToast({ title: 'Contact Added', description: 'Ada Lane has been sent an invitation.' });
    expect(service.calls.filter(({ key }) => key.startsWith('POST')).map(({ body }) => body)).toEqual([
      {
        name: 'Ada Lane',
        email: 'ada@post.example',
        phone: null,
        relationship: 'Sister',
        isActive: true,
        seesFirstWeeks: false,
        word: null,
      },
    ]);
    expect(screen.queryByLabelText('Full Name *')).toBeNull();
    await waitFor(() => expect(service.count('GET /api/trusted-contacts')).toBe(reads + 1));
  });

  it.each([
    ['Ada Lane <Ada@Post.example>', 'ada@post.example'],
    ['ada.o’shea@müller.example', "ada.o'shea@xn--mller-kva.example"],
    ['\u2068smith&sons@post.example\u2069.', 'smith&sons@post.example'],
  ])('reads the address %s as it was meant', async (pasted, email) => {
    service.answers['POST /api/trusted-contacts'] = { status: 201, body: priya };
    await name({ 'Email Address *': pasted, Phone: '\u202a+44 (0)7700 900123\u202c (mobile)' });
    await add();
    await waitFor(() => expect(screen.queryByLabelText('Full Name *')).toBeNull());
    const sent = service.calls.find(({ key }) => key.startsWith('POST'))?.body;
    expect(sent).toMatchObject({ email, phone: '+44 (0)7700 900123' });
  });

  it('says that the invitation waits for the owner’s own verification', async () => {
    service.answers['GET /api/auth/user'] = ok({ ...sam, emailVerified: false });
    service.answers['POST /api/trusted-contacts'] = { status: 201, body: priya };
    await name();
    await add();
    await expectToast({
      title: 'Contact Added',
      description: 'Ada Lane is invited as soon as your email is verified.',
    });
  });

  it('reports a failure, with the reason beside it, and keeps the typed text', async () => {
    service.answers['POST /api/trusted-contacts'] = refused(403, 'Verify your email first.');
    await name();
    await add();
    await expectToast({
      title: 'Error',
      description: 'Failed to add trusted contact. Please try again.',
      variant: 'destructive',
    });
    expect(screen.getByRole('alert').textContent).toContain('Verify your email first.');
    expect(screen.getByLabelText<HTMLInputElement>('Full Name *').value).toBe('Ada Lane');
  });
});

describe('Changing a contact', () => {
  const put = `PUT /api/trusted-contacts/${priya.id}`;

  it('begins with the saved values, warns of a new address, and saves', async () => {
    service.answers[put] = ok(priya);
    await open();
    await userEvent.click(button('Edit Priya Shah'));
    expect(screen.getByRole('dialog', { name: 'Edit Trusted Contact' })).toBeDefined();
    const email = screen.getByLabelText<HTMLInputElement>('Email Address *');
    expect(email.value).toBe('priya@post.example');
    expect(screen.queryByText(/A new address is asked again/)).toBeNull();
    await userEvent.type(email, '.uk');
    expect(screen.getByText(/A new address is asked again/)).toBeDefined();
    await userEvent.click(screen.getByLabelText('Ask this person when a release is due'));
    await userEvent.click(button('Save the changes'));
    await expectToast({ title: 'Contact Updated' });
    expect(service.calls.find(({ key }) => key === put)?.body).toEqual({
      name: 'Priya Shah',
      email: 'priya@post.example.uk',
      phone: '07700 900456',
      relationship: 'Friend',
      isActive: false,
      seesFirstWeeks: false,
      word: null,
      version: priya.version,
    });
  });

  it('says so where that fails', async () => {
    service.answers[put] = 'unreachable';
    await open();
    await userEvent.click(button('Edit Priya Shah'));
    await userEvent.click(button('Save the changes'));
    await expectToast({ title: 'Error', description: 'Failed to update trusted contact. Please try again.' });
  });
});

describe('A sign-in that is older than ten minutes', () => {
  const stale = refused(403, 'Confirm that it is you.', { type: 'REAUTHENTICATION_REQUIRED' });
  const confirm = async (label: string) => {
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    await pasteInto(await screen.findByLabelText('Password'), 'lemon cake');
    await userEvent.click(button(label));
  };

  it('asks for the password before a contact is added, keeps the typed text, and continues', async () => {
    const post = 'POST /api/trusted-contacts';
    service.answers[post] = stale;
    await open();
    await userEvent.click(button('Add Trusted Contact'));
    await pasteInto(screen.getByLabelText('Full Name *'), 'Ada Lane');
    await pasteInto(screen.getByLabelText('Email Address *'), 'ada@post.example');
    await userEvent.click(button('Add Contact'));
    await screen.findByRole('dialog', { name: 'Confirm that it is you' });
    service.answers[post] = { status: 201, body: priya };
    await confirm('Add the contact');
    await expectToast({ title: 'Contact Added' });
    expect(service.calls.findLast(({ key }) => key === post)?.body).toMatchObject({ name: 'Ada Lane' });
  });

  it('leaves the form as it is after a cancelled proof', async () => {
    service.answers[`PUT /api/trusted-contacts/${priya.id}`] = stale;
    await open();
    await userEvent.click(button('Edit Priya Shah'));
    await userEvent.type(screen.getByLabelText('Email Address *'), '.uk');
    const before = lastToast();
    await userEvent.click(button('Save the changes'));
    const asked = within(await screen.findByRole('dialog', { name: 'Confirm that it is you' }));
    await userEvent.click(asked.getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('dialog', { name: 'Confirm that it is you' })).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>('Email Address *').value).toBe('priya@post.example.uk');
    await waitFor(() => expect(button('Save the changes').getAttribute('aria-busy')).not.toBe('true'));
    expect([screen.queryByRole('alert'), lastToast()]).toEqual([null, before]);
  });

  it('asks before a contact is removed', async () => {
    const remove = `DELETE /api/trusted-contacts/${priya.id}`;
    service.answers[remove] = stale;
    await open();
    await userEvent.click(button('Delete Priya Shah'));
    await userEvent.click(button('Delete the contact'));
    await screen.findByRole('dialog', { name: 'Confirm that it is you' });
    const asked = within(screen.getByRole('dialog', { name: 'Confirm that it is you' }));
    await pasteInto(await asked.findByLabelText('Password'), 'lemon cake');
    service.answers['POST /api/user/reauthenticate'] = ok({ ok: true });
    service.answers[remove] = ok(null);
    await userEvent.click(asked.getByRole('button', { name: 'Delete the contact' }));
    await expectToast({ title: 'Contact Deleted' });
  });
});

describe('Inviting a contact again', () => {
  const resend = `POST /api/trusted-contacts/${tom.id}/resend-invitation`;

  it('is offered only to those who have not said yes', async () => {
    await open();
    expect(cardOf('Priya Shah').queryByRole('button', { name: /invitation again/ })).toBeNull();
    expect(cardOf('Tom Reed').getByText('Invited')).toBeDefined();
    service.answers[resend] = ok({ message: 'The invitation is on its way.' });
    await userEvent.click(button('Send the invitation again to Tom Reed'));
    await expectToast({ title: 'Invitation sent', description: 'The invitation is on its way.' });
  });

  it('says why it could not be sent', async () => {
    service.answers[resend] = refused(429, 'Wait a minute.');
    await open();
    await userEvent.click(button('Send the invitation again to Tom Reed'));
    await expectToast({ title: 'Invitation not sent', description: 'Wait a minute.', variant: 'destructive' });
  });
});

describe('Deleting a contact', () => {
  const remove = `DELETE /api/trusted-contacts/${priya.id}`;

  it('asks first, then deletes and says so', async () => {
    service.answers[remove] = ok(null);
    await open();
    await userEvent.click(button('Delete Priya Shah'));
    expect(
      screen.getByText(
        'Are you sure you want to delete this trusted contact? It is kept for 30 days under Recently deleted.',
      ),
    ).toBeDefined();
    service.answers['GET /api/trusted-contacts'] = ok([tom]);
    await userEvent.click(button('Delete the contact'));
    await screen.findByRole('heading', { name: '1 Contact' });
    expect(lastToast()).toMatchObject({ title: 'Contact Deleted' });
    expect(service.count(remove)).toBe(1);
  });

  it('says so where that fails', async () => {
    service.answers[remove] = refused(500, 'Broken.');
    await open();
    await userEvent.click(button('Delete Priya Shah'));
    await userEvent.click(button('Delete the contact'));
    await expectToast({
      title: 'Delete Failed',
      description: 'Unable to delete contact. Please try again.',
      variant: 'destructive',
    });
  });
});

describe('Several contacts', () => {
  const remove = ({ id }: { id: string }) => `DELETE /api/trusted-contacts/${id}`;
  const select = async (...chosen: string[]) => {
    await open();
    await userEvent.click(button('Select'));
    for (const name of chosen) await userEvent.click(screen.getByRole('checkbox', { name }));
  };
  const names = () => screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);

  it('stand in the order that is chosen', async () => {
    service.answers['GET /api/trusted-contacts'] = ok([tom, priya]);
    await open();
    expect(names()).toEqual(['Priya Shah', 'Tom Reed']);
    await userEvent.selectOptions(screen.getByLabelText('Sort'), 'Newest first');
    expect(names()).toEqual(['Tom Reed', 'Priya Shah']);
    await userEvent.selectOptions(screen.getByLabelText('Sort'), 'Name, A to Z');
    expect(names()).toEqual(['Priya Shah', 'Tom Reed']);
  });

  it('are invited again together, those whom it would help', async () => {
    const invite = `POST /api/trusted-contacts/${tom.id}/resend-invitation`;
    service.answers[invite] = ok({ message: 'We have sent it.' });
    await select('Priya Shah', 'Tom Reed');
    await userEvent.click(button('Invite again'));
    await expectToast({ title: 'Invitation sent', description: 'We write to them once more.' });
    expect(service.calls.filter(({ key }) => key.startsWith('POST'))).toHaveLength(1);
  });

  it('are deleted together after one question', async () => {
    for (const contact of [priya, tom]) service.answers[remove(contact)] = ok(null);
    await select('Priya Shah', 'Tom Reed');
    await userEvent.click(within(screen.getByRole('region', { name: 'Chosen contacts' })).getByText('Delete'));
    await userEvent.click(button('Delete 2 contacts'));
    await expectToast({ title: 'Contacts Deleted', description: '2 people are not asked any more.' });
    expect(service.calls.filter(({ key }) => key.startsWith('DELETE'))).toEqual(
      [priya, tom].map((contact) => ({ key: remove(contact), body: undefined, version: contact.version })),
    );
  });
});
