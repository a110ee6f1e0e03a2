/** How much a server or a store says, or a file contains, in characters: each twice the one before. */
export const SIZES: readonly number[] = [4_096, 8_192, 16_384, 32_768, 65_536];
