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
  const isLoaded = async (count: number) => {
    await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(count));
    load.mock.contexts.at(-1)?.dispatchEvent(new Event('load'));
  };

  const opened = vi.fn();
  openAllPictures(all).then(opened);
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
  const [first] = load.mock.contexts;
  see([{ isIntersecting: true, target: second }]);
  await isLoaded(2);
  expect(opened).not.toHaveBeenCalled();
  first?.dispatchEvent(new Event('load'));
  await vi.waitFor(() => expect(opened).toHaveBeenCalledOnce());
  expect(all.querySelectorAll('img')).toHaveLength(2);
});
