import './choosing.css';

type PickCardProps = { isChosen: boolean; onChoose: () => void; labelledBy: string };

/** Lies over a whole card while several can be chosen. */
export function PickCard({ isChosen, onChoose, labelledBy }: PickCardProps) {
  return (
    <label className="pick-card box">
      <input type="checkbox" checked={isChosen} onChange={onChoose} aria-labelledby={labelledBy} />
    </label>
  );
}
