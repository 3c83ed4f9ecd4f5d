import { Button } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';

type OddAddressProps = { id: string; meant: string; onChange: () => void; onKeep: () => void };

/** Asks about an address that looks like a typing mistake. If the owner says that it is right, it is accepted. */
export function OddAddress({ id, meant, onChange, onKeep }: OddAddressProps) {
  return (
    <div className="odd small">
      <Icon name="warning" />
      <p id={id}>
        Did you mean <b className="anywhere">{meant}</b>?
      </p>
      <p className="odd-do">
        <Button variant="text" size="small" onClick={onChange}>
          Change it
        </Button>
        <Button variant="text" size="small" onClick={onKeep}>
          No, it is right
        </Button>
      </p>
    </div>
  );
}
