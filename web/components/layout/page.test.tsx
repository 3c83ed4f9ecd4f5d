import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { Page, PageHeading } from './page.tsx';

function Site({ title }: { title: string }) {
  return (
    <>
      <header>
        <button type="button">Account menu</button>
      </header>
      <Page key={title} title={title}>
        <p>Words</p>
      </Page>
    </>
  );
}

const heading = (name: string) => screen.getByRole('heading', { level: 1, name });
const menu = () => screen.getByRole('button', { name: 'Account menu' });

describe('The heading of a page', () => {
  it('takes the focus when it appears after a link was followed', async () => {
    history.pushState(null, '', '/messages');
    const { rerender } = render(<Site title="Loading" />);
    rerender(<Site title="Messages" />);
    expect(document.activeElement).toBe(heading('Messages'));
    await userEvent.click(menu());
    dispatchEvent(new Event('pushState'));
    rerender(<Site title="Documents" />);
    expect(document.activeElement).toBe(heading('Documents'));
  });

  it('takes no focus that a person has moved beside the page while it was loading', async () => {
    history.pushState(null, '', '/documents');
    const { rerender } = render(<Site title="Loading" />);
    await userEvent.click(menu());
    rerender(<Site title="Documents" />);
    expect(document.activeElement).toBe(menu());
  });

  it('takes the focus from the button of a step that leads to the next', async () => {
    const step = (name: string) => (
      <main>
        <PageHeading key={name}>{name}</PageHeading>
        <button type="button">Continue</button>
      </main>
    );
    const { rerender } = render(step('First'));
    await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
    rerender(step('Second'));
    expect(document.activeElement).toBe(heading('Second'));
  });
});
