import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pasteInto } from '#tests/support/paste-into.ts';
import { currentToasts } from '#web/lib/toast.ts';
import { nell, open, startMessages, will } from './messages.test-world.tsx';
import { ok, type Service } from './vault.test-world.ts';

let service: Service;
beforeEach(() => {
  service = startMessages();
});
afterEach(() => service.stop());

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const radio = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name });
const saved = () => waitFor(() => expect(currentToasts()[0]?.title).toMatch(/^Message (Saved|Updated)$/));
const sent = (method: string) => service.calls.find(({ key }) => key.startsWith(method))?.body;

describe('The time of a letter', () => {
  async function write() {
    service.answers['POST /api/messages'] = { status: 201, body: { ...nell, deliverOn: '2131-05-04' } };
    await open();
    await userEvent.click(button('Create Message'));
    await pasteInto(screen.getByLabelText('Message Title *'), 'For Joss');
    await pasteInto(screen.getByLabelText('Recipient Email *'), 'joss@ashworth.example');
    await pasteInto(screen.getByLabelText('Message Content *'), 'There should be cake.');
  }

  it('is at once, unless its writer chooses a day', async () => {
    await write();
    expect(radio('At once').checked).toBe(true);
    await userEvent.click(radio('On a day of its own'));
    await pasteInto(screen.getByLabelText('The day'), '2131-05-04');
    expect(screen.getByText('It goes on 4 May 2131, or at once if it is time only after that.')).toBeDefined();
    await userEvent.click(screen.getByLabelText('Tell them that it waits'));
    await userEvent.click(button('See it as they will'));
    expect(screen.getByText('They have it on 4 May 2131, and hear before that it waits')).toBeDefined();
    await userEvent.click(button('Back to writing'));
    await userEvent.click(button('Save & Ready to Send'));
    await saved();
    expect(sent('POST')).toMatchObject({ deliverOn: '2131-05-04', announceWait: true });
    expect(within(screen.getByRole('dialog')).getByText('on 4 May 2131')).toBeDefined();
  });

  it('can be some months after', async () => {
    await write();
    await userEvent.click(radio('Some months after'));
    await userEvent.type(screen.getByLabelText('How many months'), '6');
    await userEvent.click(button('Save as Draft'));
    await saved();
    expect(sent('POST')).toMatchObject({ deliverOn: { months: 6 }, announceWait: false });
  });

  it('is asked for where a day was meant and none is there', async () => {
    await write();
    await userEvent.click(radio('On a day of its own'));
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('Choose a day')).toBeDefined();
    await userEvent.click(radio('Some months after'));
    await userEvent.type(screen.getByLabelText('How many months'), '1201');
    await userEvent.click(button('Save as Draft'));
    expect(await screen.findByText('Choose a day, or a number of months from 1 to 1,200')).toBeDefined();
    expect(service.count('POST /api/messages')).toBe(0);
  });

  it('is kept when the letter is changed, and can go back to at once', async () => {
    const put = `PUT /api/messages/${will.id}`;
    service.answers[put] = ok(will);
    service.answers['GET /api/messages'] = ok([{ ...will, deliverOn: { months: 12 }, announceWait: true }]);
    await open();
    await userEvent.click(button('Edit The will'));
    expect(screen.getByLabelText<HTMLInputElement>('How many months').value).toBe('12');
    await userEvent.click(button('Save as Draft'));
    await saved();
    expect(sent('PUT')).toMatchObject({ deliverOn: { months: 12 }, announceWait: true });
  });

  it('is tied round its envelope', async () => {
    service.answers['GET /api/messages'] = ok([
      { ...nell, deliverOn: '2131-05-04' },
      { ...will, deliverOn: { months: 1 } },
    ]);
    await open();
    const envelopeOf = (title: string) => screen.getByRole('heading', { name: title }).closest('li')?.textContent;
    expect(envelopeOf('For Nell')).toContain('waits until 4 May 2131');
    expect(envelopeOf('The will')).toContain('1 month after it is time');
  });
});
