//! Huffman coding: converts blocks to tokens, counts the symbols of the tokens, computes code tables from these counts,
//! and writes the bits.

use super::dct::Coefficients;
use super::segment;

/// The colour channel of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Luma,
    ChromaBlue,
    ChromaRed,
    Black,
}

impl Channel {
    /// The channels of an image that has `count` channels.
    pub fn first(count: usize) -> impl Iterator<Item = Self> {
        [Self::Luma, Self::ChromaBlue, Self::ChromaRed, Self::Black].into_iter().take(count)
    }

    pub fn is_chroma(self) -> bool {
        matches!(self, Self::ChromaBlue | Self::ChromaRed)
    }
}

/// The maximum number of tokens that are kept in memory. When there are more, the code tables are computed from these
/// tokens and used for the rest of the image too.
const MAX_TOKENS: usize = 4 << 20;

const END_OF_BLOCK: u8 = 0x00;
const SIXTEEN_ZEROS: u8 = 0xf0;

/// A symbol, the index of the code table for the symbol, and the bits that follow the symbol. The lower four bits of
/// the symbol are the number of these bits.
#[derive(Clone, Copy)]
struct Token {
    symbol: u8,
    table: u8,
    bits: u16,
}

/// A scan that is written block by block.
pub(super) struct Scan {
    channels: usize,
    /// The first (DC) coefficient of the previous block of each channel.
    last: [i16; 4],
    tokens: Vec<Token>,
    codes: Option<Box<[Codes; 4]>>,
    bits: Bits,
}

impl Scan {
    /// A scan that is appended to `file`.
    pub fn new(channels: usize, file: Vec<u8>) -> Self {
        let bits = Bits { file, held: 0, count: 0 };
        Self { channels, last: [0; 4], tokens: Vec::with_capacity(1 << 16), codes: None, bits }
    }

    pub fn channels(&self) -> impl Iterator<Item = Channel> + use<> {
        Channel::first(self.channels)
    }

    pub fn block(&mut self, channel: Channel, block: &Coefficients) {
        let table = if channel.is_chroma() { 2 } else { 0 };
        let last = &mut self.last[channel as usize];
        let difference = block.values[0] - *last;
        *last = block.values[0];
        let size = size_of(difference);
        self.tokens.push(Token { symbol: size, table, bits: bits_of(difference, size) });
        let table = table + 1;
        if block.detailed {
            let mut zeros = 0;
            for value in &block.values[1..] {
                if *value == 0 {
                    zeros += 1;
                    continue;
                }
                while zeros > 15 {
                    self.tokens.push(Token { symbol: SIXTEEN_ZEROS, table, bits: 0 });
                    zeros -= 16;
                }
                let size = size_of(*value);
                self.tokens.push(Token { symbol: zeros << 4 | size, table, bits: bits_of(*value, size) });
                zeros = 0;
            }
            if zeros == 0 {
                return;
            }
        }
        self.tokens.push(Token { symbol: END_OF_BLOCK, table, bits: 0 });
    }

    /// Adds a unit (four blocks of luma, one block of each chroma channel) that has only one colour, which is also the
    /// only colour of the previous unit.
    pub fn repeat_uniform(&mut self) {
        let pair = |table| {
            [Token { symbol: 0, table, bits: 0 }, Token { symbol: END_OF_BLOCK, table: table + 1, bits: 0 }]
        };
        let [luma, chroma] = [pair(0), pair(2)];
        self.tokens.extend_from_slice([luma, luma, luma, luma, chroma, chroma].as_flattened());
        if self.channels == 4 {
            self.tokens.extend_from_slice([luma; 4].as_flattened());
        }
    }

    /// Writes the tokens to the file if there are more than [`MAX_TOKENS`].
    pub fn flush_if_long(&mut self) {
        if self.tokens.len() > MAX_TOKENS {
            self.flush(true);
        }
    }

    /// Writes the remaining tokens, and returns the file with the complete scan.
    pub fn finish(mut self) -> Vec<u8> {
        self.flush(false);
        self.bits.finish()
    }

    fn flush(&mut self, more_to_come: bool) {
        let codes = match self.codes.take() {
            Some(codes) => codes,
            None => self.begin(more_to_come),
        };
        for token in &self.tokens {
            let Codes { lengths, codes, .. } = &codes[usize::from(token.table & 3)];
            let place = usize::from(token.symbol);
            let extra = u32::from(token.symbol & 15);
            let bits = u64::from(codes[place]) << extra | u64::from(token.bits);
            self.bits.push(bits, u32::from(lengths[place]) + extra);
        }
        self.tokens.clear();
        self.codes = Some(codes);
    }

    /// Computes the code tables, and writes these tables and the header of the scan.
    fn begin(&mut self, more_to_come: bool) -> Box<[Codes; 4]> {
        // If there is more to come, every symbol gets a code, because the rest of the image may have any symbol.
        let mut counts = [[0_u32; 256]; 4];
        if more_to_come {
            for (table, counts) in counts.iter_mut().enumerate() {
                let legal = |symbol: usize| match table % 2 {
                    0 => symbol <= 11,
                    _ => matches!(symbol & 15, 1..=10) || matches!(symbol, 0 | 0xf0),
                };
                (0..256).filter(|symbol| legal(*symbol)).for_each(|symbol| counts[symbol] = 1);
            }
        }
        for token in &self.tokens {
            counts[usize::from(token.table & 3)][usize::from(token.symbol)] += 1;
        }
        let codes = Box::new(counts.map(|counts| Codes::optimal(&counts)));
        let file = &mut self.bits.file;
        // The tables, in this order: luma DC, luma AC, chroma DC, chroma AC.
        let used = if self.channels == 1 { 2 } else { 4 };
        for (codes, number) in codes.iter().zip([0x00, 0x10, 0x01, 0x11]).take(used) {
            let mut content = vec![number];
            content.extend_from_slice(&codes.of_length[1..=16]);
            content.extend_from_slice(&codes.symbols);
            segment(file, 0xc4, &content);
        }
        let mut content = vec![self.channels as u8];
        for (channel, number) in Channel::first(self.channels).zip(1..) {
            content.extend_from_slice(&[number, if channel.is_chroma() { 0x11 } else { 0x00 }]);
        }
        content.extend_from_slice(&[0, 63, 0]);
        segment(file, 0xda, &content);
        codes
    }
}

/// The number of bits of the absolute value of `value`.
#[inline(always)]
fn size_of(value: i16) -> u8 {
    (16 - value.unsigned_abs().leading_zeros()) as u8
}

/// The lowest `size` bits of a value, or of the value minus one if the value is negative (T.81, F.1.2.1).
#[inline(always)]
fn bits_of(value: i16, size: u8) -> u16 {
    let value = if value < 0 { value.wrapping_sub(1) } else { value };
    value as u16 & ((1_u32 << size) - 1) as u16
}

/// The codes of the symbols that occur.
struct Codes {
    lengths: [u8; 256],
    codes: [u16; 256],
    /// The number of codes of each length in bits. The index is the length.
    of_length: [u8; 17],
    /// The symbols in the order of their codes.
    symbols: Vec<u8>,
}

impl Codes {
    /// The optimal codes of at most 16 bits for symbols that occur this often. No code consists only of ones (T.81,
    /// annex K.2).
    fn optimal(counts: &[u32; 256]) -> Self {
        const LONGEST: usize = 16;
        let mut by_count: Vec<(u32, u8)> = (0..=255)
            .zip(counts)
            .filter(|(_, count)| **count > 0)
            .map(|(symbol, count)| (*count, symbol))
            .collect();
        by_count.sort_by_key(|(count, symbol)| (std::cmp::Reverse(*count), *symbol));
        let mut of_length = [0_usize; LONGEST + 1];
        // An additional symbol with count 0 gets the code that consists only of ones, so that no real symbol gets this
        // code.
        for length in tree_lengths(by_count.iter().map(|(count, _)| *count).chain([0])) {
            of_length[length.clamp(1, LONGEST)] += 1;
        }
        // Codes of more than 16 bits have become codes of 16 bits. Therefore the codes may need more space than there
        // is. To free space, a code of fewer bits is made longer by one bit.
        let used_space = |of_length: &[usize; LONGEST + 1]| -> usize {
            (1..=LONGEST).map(|length| of_length[length] << (LONGEST - length)).sum()
        };
        while used_space(&of_length) > 1 << LONGEST {
            let shorter = (1..LONGEST).rev().find(|length| of_length[*length] > 0).unwrap_or(1);
            of_length[shorter] -= 1;
            of_length[shorter + 1] += 1;
        }
        if let Some(longest) = (1..=LONGEST).rev().find(|length| of_length[*length] > 0) {
            of_length[longest] -= 1;
        }
        let mut codes = Self {
            lengths: [0; 256],
            codes: [0; 256],
            of_length: of_length.map(|count| count as u8),
            symbols: by_count.iter().map(|(_, symbol)| *symbol).collect(),
        };
        let lengths = (1..=LONGEST).flat_map(|length| std::iter::repeat_n(length, of_length[length]));
        let (mut code, mut last) = (0_u32, 0);
        for ((_, symbol), length) in by_count.iter().zip(lengths) {
            code <<= length - last;
            last = length;
            codes.lengths[usize::from(*symbol)] = length as u8;
            codes.codes[usize::from(*symbol)] = code as u16;
            code += 1;
        }
        codes
    }
}

/// The depth of each leaf of the Huffman tree, for weights in descending order.
fn tree_lengths(weights: impl Iterator<Item = u32>) -> Vec<usize> {
    let leaves: Vec<u64> = weights.map(u64::from).collect();
    // The inner nodes are created in ascending order of their weights. Therefore two queues are enough, and no heap is
    // needed.
    let mut parents = vec![usize::MAX; leaves.len() * 2];
    let mut nodes: Vec<u64> = Vec::with_capacity(leaves.len());
    let (mut leaf, mut node) = (leaves.len(), 0);
    let mut lightest = |nodes: &[u64], leaf: &mut usize| {
        let of_leaf = leaf.checked_sub(1).and_then(|at| leaves.get(at));
        match (of_leaf, nodes.get(node)) {
            (Some(weight), other) if other.is_none_or(|other| weight <= other) => {
                *leaf -= 1;
                Some((*leaf, *weight))
            }
            (_, Some(weight)) => {
                node += 1;
                Some((leaves.len() + node - 1, *weight))
            }
            _ => None,
        }
    };
    while let Some((a, weight)) = lightest(&nodes, &mut leaf) {
        let Some((b, other)) = lightest(&nodes, &mut leaf) else { break };
        let parent = leaves.len() + nodes.len();
        nodes.push(weight + other);
        for child in [a, b] {
            if let Some(place) = parents.get_mut(child) {
                *place = parent;
            }
        }
    }
    let depth = |mut at: usize| {
        let mut depth = 0;
        while let Some(parent) = parents.get(at).filter(|parent| **parent != usize::MAX) {
            at = *parent;
            depth += 1;
        }
        depth
    };
    (0..leaves.len()).map(depth).collect()
}

/// Writes the bits of a scan. After each byte 0xff, a zero byte is written.
struct Bits {
    file: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    /// Adds the lowest `count` bits of `bits`; `count` is at most 32.
    #[inline(always)]
    fn push(&mut self, bits: u64, count: u32) {
        self.held = self.held << count | bits;
        self.count += count;
        if self.count >= 32 {
            self.count -= 32;
            let four = ((self.held >> self.count) as u32).to_be_bytes();
            if four.contains(&0xff) {
                four.into_iter().for_each(|byte| self.byte(byte));
            } else {
                self.file.extend_from_slice(&four);
            }
        }
    }

    fn byte(&mut self, byte: u8) {
        self.file.push(byte);
        if byte == 0xff {
            self.file.push(0);
        }
    }

    /// Fills the rest of the last byte with ones, and returns the file.
    fn finish(mut self) -> Vec<u8> {
        while self.count >= 8 {
            self.count -= 8;
            self.byte((self.held >> self.count) as u8);
        }
        if self.count > 0 {
            let free = 8 - self.count;
            self.byte((self.held << free) as u8 | ((1_u16 << free) - 1) as u8);
        }
        self.file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_prefix_free_have_16_bits_at_most_and_are_not_all_ones() {
        let mut steep = [0; 256];
        let (mut a, mut b) = (1_u32, 1_u32);
        for count in steep.iter_mut().take(40) {
            *count = a;
            (a, b) = (b, a.saturating_add(b));
        }
        let mut one = [0; 256];
        one[0] = 5;
        for counts in [steep, one, [1; 256], std::array::from_fn(|at| at as u32 % 7)] {
            let codes = Codes::optimal(&counts);
            let mut space = 0_u64;
            for (symbol, count) in counts.iter().enumerate() {
                let length = codes.lengths[symbol];
                assert_eq!(*count > 0, (1..=16).contains(&length), "{symbol}");
                if length > 0 {
                    space += 1 << (16 - length);
                    assert_ne!(u32::from(codes.codes[symbol]), (1 << length) - 1, "{symbol}");
                }
            }
            assert!(space < 1 << 16);
            let listed: usize = codes.of_length.iter().map(|count| usize::from(*count)).sum();
            assert_eq!(listed, codes.symbols.len());
        }
    }
}
