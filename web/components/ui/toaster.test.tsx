import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { freeShift } from '#web/components/ui/toast-list.tsx';
import { Toaster, toast } from '#web/components/ui/toaster.tsx';
import { currentToasts, dismissToast, toastDisplayMs } from '#web/lib/toast.ts';

const raise = (title: string, variant: 'default' | 'destructive' = 'default') =>
  act(async () => toast({ title, description: `About ${title}`, variant }));

afterEach(() => {
  for (const { id } of currentToasts()) dismissToast(id);
});

describe('notices', () => {
  it('show a title and a sentence', async () => {
    render(<Toaster />);
    await raise('Settings Updated');
    expect(await screen.findByText('Settings Updated')).toBeTruthy();
    expect(screen.getByText('About Settings Updated')).toBeTruthy();
  });

  it('stand one at a time: the newest takes the place', async () => {
    render(<Toaster />);
    await raise('First');
    await screen.findByText('First');
    await raise('Second', 'destructive');
    expect(await screen.findByText('Second')).toBeTruthy();
    expect(screen.queryByText('First')).toBeNull();
    expect(screen.getByText('Second').closest('.toast')?.className).toBe('toast toast-bad');
  });

  it('can be closed, and stay in memory for long after', async () => {
    render(<Toaster />);
    await raise('Close me');
    await screen.findByText('Close me');
    screen.getByRole('button', { name: 'Dismiss' }).focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(screen.queryByText('Close me')).toBeNull());
    expect(currentToasts()).toMatchObject([{ title: 'Close me', isOpen: false }]);
  });

  it('stand in an open dialog, which would cover them, and stay when it closes', async () => {
    const page = (isOpen: boolean) => (
      <>
        <Dialog open={isOpen} onClose={() => undefined} title="A question">
          <p>Words</p>
        </Dialog>
        <Toaster />
      </>
    );
    const { rerender } = render(page(true));
    await raise('Saved');
    expect((await screen.findByText('Saved')).closest('dialog')).toBeTruthy();
    rerender(page(false));
    expect((await screen.findByText('Saved')).closest('dialog')).toBeNull();
  });

  it('go by themselves after five seconds', async () => {
    expect(toastDisplayMs).toBe(5_000);
    vi.useFakeTimers();
    try {
      render(<Toaster />);
      await raise('Leaving');
      act(() => void vi.advanceTimersByTime(toastDisplayMs - 1));
      expect(screen.getByText('Leaving')).toBeTruthy();
      act(() => void vi.advanceTimersByTime(1));
      expect(screen.queryByText('Leaving')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('wait while they hold the focus, and go on with the rest of their time', async () => {
    vi.useFakeTimers();
    try {
      render(<Toaster />);
      await raise('Reading');
      act(() => void vi.advanceTimersByTime(toastDisplayMs - 1_000));
      act(() => screen.getByText('Reading').closest('li')?.focus());
      act(() => void vi.advanceTimersByTime(toastDisplayMs));
      expect(screen.getByText('Reading')).toBeTruthy();
      act(() => (document.activeElement as HTMLElement).blur());
      act(() => void vi.advanceTimersByTime(999));
      expect(screen.getByText('Reading')).toBeTruthy();
      act(() => void vi.advanceTimersByTime(1));
      expect(screen.queryByText('Reading')).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it('are reached by F8 from anywhere, and closed by Escape', async () => {
    render(<Toaster />);
    await raise('From afar');
    await screen.findByText('From afar');
    await userEvent.keyboard('{F8}');
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Notices (F8)' }));
    await userEvent.tab();
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByText('From afar')).toBeNull());
  });

  it('are read out once: at once where something failed, else when there is a pause', async () => {
    render(<Toaster />);
    await raise('Saved');
    expect(await screen.findByText('Notice Saved About Saved')).toHaveProperty('role', 'status');
    await raise('Failed', 'destructive');
    expect(await screen.findByText('Notice Failed About Failed')).toHaveProperty('role', 'alert');
    await waitFor(() => expect(screen.queryByText('Notice Failed About Failed')).toBeNull());
    expect(screen.getByText('Failed')).toBeTruthy();
  });
});

describe('the place of a notice', () => {
  const home = { top: 0, bottom: 80 };

  it('is its own if no control is there', () => {
    expect(freeShift(home, [{ top: 80, bottom: 120 }], 640)).toBe(0);
  });

  it('is the nearest one without a control', () => {
    const header = { top: 10, bottom: 60 };
    expect(freeShift(home, [header], 640)).toBe(64);
    expect(freeShift(home, [header, { top: 130, bottom: 180 }], 640)).toBe(184);
    expect(freeShift({ top: 560, bottom: 640 }, [{ top: 600, bottom: 630 }], 640)).toBe(-40);
  });

  it('covers the fewest controls if they fill the window', () => {
    const page = { top: 0, bottom: 640 };
    expect(freeShift(home, [page], 640)).toBe(0);
    expect(freeShift(home, [page, { top: 10, bottom: 60 }], 640)).toBe(64);
  });
});
