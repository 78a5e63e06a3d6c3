//! The standard names of CFF (Adobe Technical Note 5176, Appendix A), and the codes of the standard encoding.

/// The names of the string identifiers 0 to 390, in order.
const STANDARD: &str = ".notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft \
parenright asterisk plus comma hyphen period slash zero one two three four five six seven eight nine colon semicolon \
less equal greater question at A B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright \
asciicircum underscore quoteleft a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright \
asciitilde exclamdown cent sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft \
guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet quotesinglbase \
quotedblbase quotedblright guillemotright ellipsis perthousand questiondown grave acute circumflex tilde macron breve \
dotaccent dieresis ring cedilla hungarumlaut ogonek caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae \
dotlessi lslash oslash oe germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide \
brokenbar degree thorn threequarters twosuperior registered minus eth multiply threesuperior copyright Aacute \
Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis \
Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis \
Zcaron aacute acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute \
icircumflex idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute ucircumflex udieresis \
ugrave yacute ydieresis zcaron exclamsmall Hungarumlautsmall dollaroldstyle dollarsuperior ampersandsmall Acutesmall \
parenleftsuperior parenrightsuperior twodotenleader onedotenleader zerooldstyle oneoldstyle twooldstyle threeoldstyle \
fouroldstyle fiveoldstyle sixoldstyle sevenoldstyle eightoldstyle nineoldstyle commasuperior threequartersemdash \
periodsuperior questionsmall asuperior bsuperior centsuperior dsuperior esuperior isuperior lsuperior msuperior \
nsuperior osuperior rsuperior ssuperior tsuperior ff ffi ffl parenleftinferior parenrightinferior Circumflexsmall \
hyphensuperior Gravesmall Asmall Bsmall Csmall Dsmall Esmall Fsmall Gsmall Hsmall Ismall Jsmall Ksmall Lsmall Msmall \
Nsmall Osmall Psmall Qsmall Rsmall Ssmall Tsmall Usmall Vsmall Wsmall Xsmall Ysmall Zsmall colonmonetary onefitted \
rupiah Tildesmall exclamdownsmall centoldstyle Lslashsmall Scaronsmall Zcaronsmall Dieresissmall Brevesmall Caronsmall \
Dotaccentsmall Macronsmall figuredash hypheninferior Ogoneksmall Ringsmall Cedillasmall questiondownsmall oneeighth \
threeeighths fiveeighths seveneighths onethird twothirds zerosuperior foursuperior fivesuperior sixsuperior \
sevensuperior eightsuperior ninesuperior zeroinferior oneinferior twoinferior threeinferior fourinferior fiveinferior \
sixinferior seveninferior eightinferior nineinferior centinferior dollarinferior periodinferior commainferior \
Agravesmall Aacutesmall Acircumflexsmall Atildesmall Adieresissmall Aringsmall AEsmall Ccedillasmall Egravesmall \
Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall Iacutesmall Icircumflexsmall Idieresissmall Ethsmall \
Ntildesmall Ogravesmall Oacutesmall Ocircumflexsmall Otildesmall Odieresissmall OEsmall Oslashsmall Ugravesmall \
Uacutesmall Ucircumflexsmall Udieresissmall Yacutesmall Thornsmall Ydieresissmall 001.000 001.001 001.002 001.003 \
Black Bold Book Light Medium Regular Roman Semibold";

/// The number of standard names.
pub(crate) const COUNT: u16 = 391;

/// The standard names in order.
pub(crate) fn standard() -> impl Iterator<Item = &'static str> {
    STANDARD.split_ascii_whitespace()
}

/// The string identifier of a code in the standard encoding; 0 if the code has none.
pub(crate) fn standard_encoding(code: u8) -> u16 {
    let code = u16::from(code);
    match code {
        32..=126 => code - 31,
        161..=175 => code - 65,
        177..=180 => code - 66,
        182..=189 => code - 67,
        191 => 123,
        193..=200 => code - 69,
        202..=203 => code - 70,
        205..=208 => code - 71,
        225 => 138,
        227 => 139,
        232..=235 => code - 92,
        241 => 144,
        245 => 145,
        248..=251 => code - 102,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_have_their_string_identifiers() {
        let names: Vec<&str> = standard().collect();
        assert_eq!(names.len(), usize::from(COUNT));
        for (sid, name) in [
            (0, ".notdef"),
            (1, "space"),
            (34, "A"),
            (95, "asciitilde"),
            (96, "exclamdown"),
            (149, "germandbls"),
            (150, "onesuperior"),
            (228, "zcaron"),
            (229, "exclamsmall"),
            (266, "ff"),
            (278, "Esmall"),
            (314, "figuredash"),
            (378, "Ydieresissmall"),
            (379, "001.000"),
            (390, "Semibold"),
        ] {
            assert_eq!(names[sid], name);
        }
        for (code, name) in [
            (b'A', "A"),
            (0x27, "quoteright"),
            (161, "exclamdown"),
            (177, "endash"),
            (225, "AE"),
            (251, "germandbls"),
        ] {
            assert_eq!(names[usize::from(standard_encoding(code))], name);
        }
    }
}
