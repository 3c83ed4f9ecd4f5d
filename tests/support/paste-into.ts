import { userEvent } from '@testing-library/user-event';

/**
 * Clicks a field and pastes words at the end of what it holds. The page is drawn twice, in place of once a letter, which took a
 * third of the time of all component tests. Use `userEvent.type` where a test is about keys.
 */
export async function pasteInto(field: Element, words: string): Promise<void> {
  await userEvent.click(field);
  await userEvent.paste(words);
}
