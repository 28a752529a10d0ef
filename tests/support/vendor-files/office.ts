import { table, type VendorFile } from "./table.ts";

export const OFFICE: readonly VendorFile[] = [
  table(
    "Excel in German",
    [
      "Nr.;Kategorie;Frage;Antwort;Stand".replaceAll(";", "|"),
      "1|Zeiten|Wann öffnen Sie?|Um neun.|04.01.2026",
      "2|Zeiten|Wann schließen Sie?|Um sechs.|04.01.2026",
      "3|Ort|Wo sind Sie?|In der Marktstraße.|05.01.2026",
    ],
    { columns: [3, 4], delimiter: ";" },
  ),
  table(
    "Excel in German with compounds",
    [
      "Ref|Kundenfrage|Musterantwort|Status",
      "A-1|Wann öffnen Sie?|Um neun.|frei",
      "A-2|Wann schließen Sie?|Um sechs.|frei",
      "A-3|Wo sind Sie?|In der Marktstraße.|Entwurf",
    ],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel in French",
    [
      "N°|Thème|Question|Réponse|Date de mise à jour",
      "1|Horaires|Quand ouvrez-vous ?|À neuf heures.|04/01/2026",
      "2|Horaires|Quand fermez-vous ?|À six heures.|04/01/2026",
      "3|Lieu|Où êtes-vous ?|Rue du Marché.|05/01/2026",
    ],
    { columns: [3, 4], delimiter: ";" },
  ),
  table(
    "Excel in French with types",
    [
      "Type de question|Question du client|Réponse apportée",
      "Horaires|Quand ouvrez-vous ?|À neuf heures.",
      "Horaires|Quand fermez-vous ?|À six heures.",
      "Lieu|Où êtes-vous ?|Rue du Marché.",
    ],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel in Spanish",
    [
      "Código|Pregunta frecuente|Respuesta|Enlace",
      "P-1|¿Cuándo abren?|A las nueve.|https://example.com/1",
      "P-2|¿Dónde están?|En la calle Mercado.|https://example.com/2",
    ],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel in Russian",
    [
      "№|Вопрос клиента|Текст ответа|Ответственный",
      "1|Когда вы открываетесь?|В девять.|Анна",
      "2|Где вы?|На улице Рынок.|Пётр",
    ],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel in Japanese",
    [
      "番号|カテゴリ|質問内容|回答内容|回答者",
      "1|営業|何時に開きますか|九時です。|田中",
      "2|営業|何時に閉まりますか|六時です。|田中",
      "3|場所|どこですか|市場通りです。|佐藤",
    ],
    { columns: [3, 4], as: "japanese.xlsx" },
  ),
  table(
    "Excel in Korean",
    [
      "번호|분류|질문|답변",
      "1|영업|몇 시에 여나요?|아홉 시입니다.",
      "2|영업|몇 시에 닫나요?|여섯 시입니다.",
      "3|위치|어디인가요?|시장길입니다.",
    ],
    { columns: [3, 4] },
  ),
  table(
    "Excel in Arabic",
    ["الرقم|السؤال|الإجابة", "1|متى تفتحون؟|في التاسعة.", "2|أين أنتم؟|في شارع السوق."],
    { columns: [2, 3] },
  ),
  table(
    "Excel in Turkish",
    ["Sıra|Müşteri sorusu|Cevap", "1|Ne zaman açılıyorsunuz?|Dokuzda.", "2|Neredesiniz?|Pazar Caddesi'nde."],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel in Portuguese",
    [
      "Categoria|Pergunta|Resposta sugerida",
      "Horas|Quando abrem?|Às nove.",
      "Horas|Quando fecham?|Às seis.",
      "Lugar|Onde estão?|Na rua do Mercado.",
    ],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel in Polish",
    [
      "Lp.|Pytanie|Odpowiedź|Uwagi",
      "1|Kiedy otwieracie?|O dziewiątej.|ok",
      "2|Gdzie jesteście?|Na ulicy Targowej.|ok",
    ],
    { columns: [2, 3], delimiter: ";" },
  ),
  table(
    "Excel with a title and empty columns",
    [
      "Our FAQ||||",
      "||||",
      "No.|Question|Content||",
      "1|Where are you?|Here, in Market Street.||",
      "2|When do you open?|At nine, every day.||",
    ],
    { columns: [2, 3], header: 2, as: "titled.xlsx" },
  ),
  table(
    "Numbers",
    [
      "Table 1||",
      "Question|Answer|Notes",
      "When do you open?|At nine.|ask Ada",
      "Where are you?|In Market Street.|",
    ],
    { columns: [1, 2], header: 2 },
  ),
  table(
    "Numbers in German",
    [
      "Tabelle 1||",
      "Kategorie|Frage|Antwort",
      "Zeiten|Wann öffnen Sie?|Um neun.",
      "Ort|Wo sind Sie?|In der Marktstraße.",
    ],
    { columns: [2, 3], header: 2, delimiter: ";" },
  ),
  table("WPS", ["编号|用户问题|客服回复|备注", "1|几点开门？|九点。|无", "2|在哪里？|市场街。|无"], {
    columns: [2, 3],
    as: "wps.xlsx",
  }),
  table(
    "Google Sheets",
    [
      "Timestamp|Question|Answer|Email Address",
      "1/4/2026 10:00:00|When do you open?|At nine.|ada@example.com",
      "1/5/2026 10:00:00|Where are you?|In Market Street.|bo@example.com",
    ],
    { columns: [2, 3] },
  ),
  table(
    "Google Sheets with words of its owner",
    ["id|customer question|our reply", "1|When do you open?|At nine.", "2|Where are you?|In Market Street."],
    { columns: [2, 3] },
  ),
];
