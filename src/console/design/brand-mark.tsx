/** The logo: a sail over a hull. */
export function BrandMark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden="true" focusable="false">
      <path d="M11 3v12.500H4.500C8 12.600 10.300 8.600 11 3z" fill="currentColor" opacity="0.55" />
      <path d="M13 5.500c3.700 2.300 5.800 5.700 6.300 10H13z" fill="currentColor" />
      <path d="M2.500 17.500h19l-2.600 3.700a1 1 0 0 1-.8.4H5.900a1 1 0 0 1-.8-.4z" fill="currentColor" />
    </svg>
  );
}
