package dev.recto;

import java.util.OptionalLong;

/**
 * The progress of a call.
 *
 * @param phase {@link Phase#UPLOAD}, {@link Phase#WAIT} or {@link Phase#DOWNLOAD}
 * @param done the bytes transferred in this phase; a byte that is sent again is not counted again
 * @param total the bytes to transfer, if known
 */
public record Progress(Phase phase, long done, OptionalLong total) {}
