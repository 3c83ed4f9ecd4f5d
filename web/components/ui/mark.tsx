/** The wax seal that stands for the product. The name is always written beside it. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 40 40" aria-hidden="true" focusable="false">
      <path
        className="mark-wax"
        d="M20.4 1.6c3.9-.3 5.9 1.9 8.8 3.3 2.7 1.4 5.3 2.4 6.8 5.1 1.5 2.7.8 5.2 1.3 8.1.5 3.3 2.1 5.7 1 9-1 3-3.7 3.9-5.8 6.1-2.1 2.1-3.4 4.5-6.4 5.2-3 .7-5-.7-8-.7-3.1 0-5.7 1.3-8.5-.2-2.7-1.5-3.3-4.2-4.9-6.8-1.6-2.5-3.5-4.4-3.4-7.6.1-3 1.9-4.7 2.6-7.5.8-3.1.4-5.9 2.7-8.2 2.2-2.2 4.9-1.9 7.6-3.2 2.1-1 3.9-2.4 6.2-2.600Z"
      />
      <circle className="mark-ring" cx="20" cy="20.2" r="12.6" />
      <path
        className="mark-e"
        d="M13.8 20.500H26.400c0-4-2.3-6.7-6-6.7-3.9 0-6.6 2.9-6.6 6.7 0 3.9 2.7 6.5 6.5 6.5 2.5 0 4.3-.9 5.6-2.6"
      />
    </svg>
  );
}
