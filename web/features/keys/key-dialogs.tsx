import { Dialog } from '#web/components/ui/dialog.tsx';
import { KeyList } from './key-list.tsx';
import { KeysSwitch } from './keys-switch.tsx';
import { Palette } from './palette/palette.tsx';
import type { PaletteGo } from './palette/palette-items.ts';
import type { KeysProps } from './use-keys.tsx';

type KeyDialogsProps = KeysProps & {
  shown: 'find' | 'list';
  onShow: (next: 'find' | 'list' | undefined) => void;
  onGo: (path: string) => void;
};

/** The palette and the list of keys, of which one is open. */
export function KeyDialogs({ shown, onShow, onGo, ...props }: KeyDialogsProps) {
  const close = () => onShow(undefined);
  const choose = (go: PaletteGo) => {
    if (go.to === 'keys') return onShow('list');
    close();
    go.before?.();
    onGo(go.path);
  };
  return (
    <>
      <Dialog open={shown === 'find'} onClose={close} title="Find">
        <Palette {...props} onChoose={choose} />
      </Dialog>
      <Dialog open={shown === 'list'} onClose={close} title="Keys">
        <KeyList />
        <KeysSwitch />
      </Dialog>
    </>
  );
}
