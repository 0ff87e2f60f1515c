package io.croupier.operators.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares with CPython 3.11, whose {@code hash} of bytes is SipHash-1-3. Keys are those that it
 * derives from a {@code PYTHONHASHSEED} of 1 and of 20261130. The bytes are 7 i + length, modulo
 * 256.
 */
class SipHashTest {
  @ParameterizedTest
  @CsvSource({
    "aed66ce184be2329,ebe9bbf1f1499052,1,c1147c52c3233753",
    "aed66ce184be2329,ebe9bbf1f1499052,2,1492d9afb0abe793",
    "aed66ce184be2329,ebe9bbf1f1499052,3,412ee9d906bcaec1",
    "aed66ce184be2329,ebe9bbf1f1499052,7,06d57fe30100f7b7",
    "aed66ce184be2329,ebe9bbf1f1499052,8,8597692664bda177",
    "aed66ce184be2329,ebe9bbf1f1499052,9,08df24bda86fee78",
    "aed66ce184be2329,ebe9bbf1f1499052,15,875d8ad6734392d9",
    "aed66ce184be2329,ebe9bbf1f1499052,16,0c4987b29aa63949",
    "aed66ce184be2329,ebe9bbf1f1499052,17,8ff4046f504e2130",
    "aed66ce184be2329,ebe9bbf1f1499052,31,8ceac631d19826cb",
    "aed66ce184be2329,ebe9bbf1f1499052,63,2e854f9a43132836",
    "aed66ce184be2329,ebe9bbf1f1499052,64,4ca303fd057d5a46",
    "aed66ce184be2329,ebe9bbf1f1499052,100,c7332dc8eaf24fc9",
    "aed66ce184be2329,ebe9bbf1f1499052,124,1cdb6cd948e4047c",
    "aed66ce184be2329,ebe9bbf1f1499052,255,4a2d2c51e6635b3e",
    "aed66ce184be2329,ebe9bbf1f1499052,256,71d1e7ffd157d5dd",
    "aed66ce184be2329,ebe9bbf1f1499052,257,6a3e9412944f062e",
    "aed66ce184be2329,ebe9bbf1f1499052,486,a6e726adeb24aab0",
    "aed66ce184be2329,ebe9bbf1f1499052,4087,b8444b4a481f5e07",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,1,157a2e745241be7b",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,2,6ec5932802708b5c",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,3,3cc5e80c544cf9f5",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,7,053384e24ec37dba",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,8,d28cb51f207cc72f",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,9,a3d140922615d7d3",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,15,f87711fbdfa1ee1c",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,16,19e261d765f1f4c8",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,17,ce4d7fb613e54f16",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,31,92f5d5399fe7209a",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,63,80abf04d8b98ccf8",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,64,eb0ee5594048ea45",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,100,41fad80ec307e3e0",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,124,5965605957c9aa5c",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,255,6aed6c192d9f28f7",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,256,6681d3e3d92407b2",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,257,5c770fca47c417dc",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,486,abed9b3ce50eaa59",
    "d4f852bf20388a8b,a49ddc7b4cf8a103,4087,6e82b6d02434d375"
  })
  void equalsThatOfPython(String k0, String k1, int length, String expected) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (7 * i + length);
    }
    SipHash hash = new SipHash(Long.parseUnsignedLong(k0, 16), Long.parseUnsignedLong(k1, 16));
    assertThat(hash.of(bytes)).isEqualTo(Long.parseUnsignedLong(expected, 16));
  }
}
