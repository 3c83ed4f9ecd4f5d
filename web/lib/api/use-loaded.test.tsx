import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { ApiError } from './api.ts';
import { useLoaded } from './use-loaded.ts';

type Load = (signal: AbortSignal) => Promise<string>;

function Shown({ load }: { load: Load }) {
  const { data, error, reload } = useLoaded(load);
  return (
    <>
      <p>{`${data ?? 'nothing'}, ${error?.message ?? 'no error'}`}</p>
      <button type="button" onClick={reload}>
        Again
      </button>
    </>
  );
}

/** Answers one after the other; the last one again and again. */
function answering(...answers: (string | ApiError)[]): { load: Load; count: () => number } {
  let asked = 0;
  return {
    count: () => asked,
    load: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? '';
      asked += 1;
      if (answer instanceof ApiError) throw answer;
      return answer;
    },
  };
}

const gone = new ApiError('Gone', { status: 404 });
const away = new ApiError('Away', { status: 0 });

describe('the data of a page behind a link', () => {
  it('is asked for once more where the first try failed for the moment', async () => {
    const { load, count } = answering(away, 'A letter');
    render(<Shown load={load} />);
    expect(await screen.findByText('A letter, no error')).toBeTruthy();
    expect(count()).toBe(2);
  });

  it('is not asked for again where the answer would be the same', async () => {
    const { load, count } = answering(gone, 'A letter');
    render(<Shown load={load} />);
    expect(await screen.findByText('nothing, Gone')).toBeTruthy();
    expect(count()).toBe(1);
  });

  it('stays while it is fetched again, and reports the result', async () => {
    const { load } = answering('A letter', gone);
    render(<Shown load={load} />);
    expect(await screen.findByText('A letter, no error')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Again' }));
    expect(await screen.findByText('A letter, Gone')).toBeTruthy();
  });

  it('is never shown for another link', async () => {
    const { rerender } = render(<Shown load={answering('A letter').load} />);
    expect(await screen.findByText('A letter, no error')).toBeTruthy();
    const other = answering('Another');
    rerender(<Shown load={other.load} />);
    expect(screen.getByText('nothing, no error')).toBeTruthy();
    await act(async () => undefined);
    expect(screen.getByText('Another, no error')).toBeTruthy();
  });

  it('is given up when the page is left', async () => {
    let signal: AbortSignal | undefined;
    const never: Load = (given) => {
      signal = given;
      return new Promise(() => undefined);
    };
    const { unmount } = render(<Shown load={never} />);
    unmount();
    expect(signal?.aborted).toBe(true);
  });
});
