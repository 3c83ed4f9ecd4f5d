import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useForm } from 'react-hook-form';
import { beforeEach, expect, it, vi } from 'vitest';
import { useSendOnce } from './sent-form.ts';

let checked: PromiseWithResolvers<void>;
const send = vi.fn(async () => undefined as unknown);
const onErrors = vi.fn();

beforeEach(() => {
  checked = Promise.withResolvers();
  send.mockReset().mockResolvedValue(undefined);
  onErrors.mockReset();
});

/** A form whose check takes as long as the test wants. */
function Form() {
  const { register, handleSubmit } = useForm({
    defaultValues: { email: 'sam@ashworth.example' },
    resolver: async (values) => {
      await checked.promise;
      return { values, errors: {} };
    },
  });
  const submit = useSendOnce(handleSubmit, { send, onErrors });
  return (
    <form onSubmit={submit}>
      <input {...register('email')} />
      <button type="submit">Send</button>
    </form>
  );
}

const press = () => userEvent.click(screen.getByRole('button'));
const settled = () => new Promise((resolve) => setTimeout(resolve));

it('sends once, however often it is pressed while it is being checked, and again afterwards', async () => {
  render(<Form />);
  await press();
  await press();
  expect(send).not.toHaveBeenCalled();
  checked.resolve();
  await settled();
  expect(send.mock.calls).toEqual([[{ email: 'sam@ashworth.example' }]]);
  await press();
  await settled();
  expect(send).toHaveBeenCalledTimes(2);
});

it('sends once, however long that takes, and again where it has failed', async () => {
  const sent = Promise.withResolvers<void>();
  send.mockReturnValueOnce(sent.promise);
  checked.resolve();
  render(<Form />);
  await press();
  await settled();
  await press();
  expect(send).toHaveBeenCalledTimes(1);
  sent.reject(new Error('The connection was lost.'));
  await settled();
  await press();
  await settled();
  expect(send).toHaveBeenCalledTimes(2);
});

it('sends nothing from a form that was left meanwhile', async () => {
  const { unmount } = render(<Form />);
  await press();
  unmount();
  checked.resolve();
  await settled();
  expect([send.mock.calls, onErrors.mock.calls]).toEqual([[], []]);
});
