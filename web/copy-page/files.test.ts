import { expect, it, vi } from 'vitest';

it('opens all pictures to print them, also where the view opens one before its turn', async () => {
  let see: (seen: object[]) => void = () => undefined;
  class Observer {
    constructor(onSeen: typeof see) {
      see = onSeen;
    }
    observe() {}
    unobserve() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  URL.createObjectURL = () => 'blob:one';
  const load = vi.spyOn(HTMLImageElement.prototype, 'src', 'set').mockImplementation(() => undefined);
  const { fileElements, openAllPictures } = await import('./files.ts');
  const all = document.createElement('div');
  for (const name of ['yard.png', 'door.png'])
    all.append(...fileElements({ name, sizeBytes: 1, open: async () => new Blob(['a']) }));
  const [, second] = all.querySelectorAll('figure');

  const opened = vi.fn();
  openAllPictures(all).then(opened);
  await expect.poll(() => load.mock.contexts.length).toBe(1);
  see([{ isIntersecting: true, target: second }]);
  await expect.poll(() => load.mock.contexts.length).toBe(2);
  const [one, other] = load.mock.contexts as HTMLImageElement[];
  other?.dispatchEvent(new Event('load'));
  expect(opened).not.toHaveBeenCalled();
  one?.dispatchEvent(new Event('load'));
  await expect.poll(() => opened.mock.calls.length).toBe(1);
  expect(all.querySelectorAll('img')).toHaveLength(2);
});
