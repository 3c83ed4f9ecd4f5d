import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useForm } from 'react-hook-form';
import { describe, expect, it } from 'vitest';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, PasswordField, SelectField, TextAreaField, TextField } from '#web/components/ui/field.tsx';

function ExampleForm({ onSave }: { onSave: (values: unknown) => void }) {
  const { register, handleSubmit, formState } = useForm({ defaultValues: { name: '', days: '90', isActive: true } });
  return (
    <form onSubmit={handleSubmit(onSave)}>
      <TextField
        label="Full Name *"
        hint="As they write it"
        error={formState.errors.name?.message}
        {...register('name', { required: 'Required' })}
      />
      <SelectField
        label="Days"
        options={[90, 180].map((days) => ({ value: days, label: `${days} days` }))}
        {...register('days')}
      />
      <CheckboxField label="Active" {...register('isActive')} />
      <Button type="submit">Save</Button>
    </form>
  );
}

describe('fields', () => {
  it('tie label, hint and error to the control, and focus the faulty field', async () => {
    render(<ExampleForm onSave={() => undefined} />);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    const input = screen.getByLabelText('Full Name *');
    expect(input.getAttribute('aria-invalid')).toBe('true');
    const described = (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id));
    expect(described.map((element) => element?.textContent)).toEqual(['As they write it', 'Required']);
    expect(document.activeElement).toBe(input);
  });

  it('hand their values to the form', async () => {
    const saved: unknown[] = [];
    render(<ExampleForm onSave={(values) => saved.push(values)} />);
    await userEvent.type(screen.getByLabelText('Full Name *'), 'Priya');
    await userEvent.selectOptions(screen.getByLabelText('Days'), '180');
    await userEvent.click(screen.getByLabelText('Active'));
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(saved).toEqual([{ name: 'Priya', days: '180', isActive: false }]);
  });

  it('tell a hint before a tall control and after a small one', () => {
    render(
      <>
        <TextAreaField label="Reason" hint="One or two sentences." />
        <TextField label="Name" hint="As they write it" />
      </>,
    );
    const follows = (a: Element, b: Element) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING;
    expect(follows(screen.getByText('One or two sentences.'), screen.getByLabelText('Reason'))).toBeTruthy();
    expect(follows(screen.getByLabelText('Name'), screen.getByText('As they write it'))).toBeTruthy();
  });

  it('let a password be looked at', async () => {
    render(<PasswordField label="Password" />);
    const input = screen.getByLabelText('Password');
    expect(input.getAttribute('type')).toBe('password');
    await userEvent.click(screen.getByRole('button', { name: 'Show password' }));
    expect(input.getAttribute('type')).toBe('text');
    await userEvent.click(screen.getByRole('button', { name: 'Hide password' }));
    expect(input.getAttribute('type')).toBe('password');
  });
});
