import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { ConfirmDialog, Dialog } from '#web/components/ui/dialog.tsx';

function Deleting({ busy = false, onConfirm }: { busy?: boolean; onConfirm: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Delete
      </button>
      <ConfirmDialog
        open={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={onConfirm}
        title="Delete this message?"
        text="This action cannot be undone."
        confirmLabel="Delete the message"
        cancelLabel="Keep it"
        busy={busy}
        danger
      />
    </>
  );
}

describe('a question before something is done', () => {
  it('starts on the safe answer and gives the focus back', async () => {
    render(<Deleting onConfirm={() => undefined} />);
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    expect(screen.getByRole('alertdialog', { name: 'Delete this message?' })).toBeTruthy();
    expect(document.activeElement?.textContent).toBe('Keep it');
    await userEvent.click(screen.getByRole('button', { name: 'Keep it' }));
    expect(screen.queryByRole('alertdialog')).toBeNull();
    expect(document.activeElement?.textContent).toBe('Delete');
  });

  it('runs its action once, and ignores presses meanwhile', async () => {
    let confirmed = 0;
    const { rerender } = render(<Deleting onConfirm={() => confirmed++} />);
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    await userEvent.click(screen.getByRole('button', { name: 'Delete the message' }));
    rerender(<Deleting busy onConfirm={() => confirmed++} />);
    const button = screen.getByRole('button', { name: 'Delete the message' });
    expect(button.getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(button);
    expect(confirmed).toBe(1);
  });
});

describe('a dialog', () => {
  it('starts in its first field and closes by the cross', async () => {
    let closed = 0;
    render(
      <Dialog open onClose={() => closed++} title="Add a contact">
        <input aria-label="Full Name" />
      </Dialog>,
    );
    expect(document.activeElement).toBe(screen.getByLabelText('Full Name'));
    await userEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(closed).toBe(1);
  });

  it('starts at the marked element, though a field comes before', () => {
    render(
      <Dialog open onClose={() => undefined} title="Send them now?">
        <input aria-label="Type SEND" />
        <button type="button" data-focus-first="">
          Keep waiting
        </button>
      </Dialog>,
    );
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Keep waiting' }));
  });

  it('is not there while it is shut', () => {
    render(
      <Dialog open={false} onClose={() => undefined} title="Add a contact">
        <p>Words</p>
      </Dialog>,
    );
    expect(screen.queryByText('Words')).toBeNull();
  });
});
