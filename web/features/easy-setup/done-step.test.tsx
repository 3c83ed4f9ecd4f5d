import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { emptyAnswers } from './answers.rules.ts';
import { DoneStep } from './done-step.tsx';
import type { Wizard } from './use-wizard.ts';

/** Shows the last step and gives where its buttons have led. */
function show({ isSignedIn }: { isSignedIn: boolean }): string[] {
  const went: string[] = [];
  const nothing = async () => undefined;
  const wizard: Wizard = {
    answers: { ...emptyAnswers, step: 'done' },
    errors: {},
    refusals: 0,
    problem: null,
    isBusy: false,
    dialog: null,
    savesAtOnce: false,
    change: () => undefined,
    previous: () => undefined,
    goTo: (step) => void went.push(`step ${step}`),
    next: nothing,
    save: nothing,
    createAccount: nothing,
    finish: nothing,
    addAnother: () => void went.push('another message'),
  };
  render(
    <DoneStep
      wizard={wizard}
      done={[]}
      isSignedIn={isSignedIn}
      isVerified={false}
      goingAway={null}
      onLeave={() => void went.push('vault')}
    />,
  );
  return went;
}

const press = () => userEvent.click(screen.getByRole('button', { name: 'Go to My Vault' }));

describe('Go to My Vault', () => {
  it('leads a visitor to the last step, and not into a vault', async () => {
    const went = show({ isSignedIn: false });
    await press();
    expect(went).toEqual(['step done']);
    expect(screen.queryByRole('button', { name: 'Add Another Message' })).toBeNull();
  });

  it('leads a signed-in owner to the vault', async () => {
    const went = show({ isSignedIn: true });
    await press();
    expect(went).toEqual(['vault']);
  });
});
