// Names that columns have in files of questions and answers, without marks over Latin letters: fold() removes those.

/** A whole name, or one of its words. */
export const QUESTIONS =
  "question,questions,pregunta,preguntas,frage,fragen,domanda,domande,pergunta,perguntas,vraag,vragen,fraga,fragor,sporsmal,spørsmål,spørgsmål,kysymys,kysymykset,pytanie,pytania,otazka,otazky,kerdes,kerdesek,intrebare,intrebari,pitanje,pitanja,vprasanje,kusimus,jautajums,klausimas,soru,sorular,sual,savol,ερωτηση,ερωτησεις,вопрос,вопросы,вопроса,питання,запитання,въпрос,въпроси,питање,прашање,сұрақ,суроо,асуулт,pertanyaan,soalan,tanong,swali,maswali,ceist,cwestiwn,spurning,galdera,pyetje,vraagstuk,հարց,კითხვა,שאלה,שאלות,سؤال,السؤال,اسئله,أسئلة,الأسئلة,سوال,پرسش,प्रश्न,सवाल,প্রশ্ন,கேள்வி,ప్రశ్న,ಪ್ರಶ್ನೆ,ചോദ്യം,પ્રશ્ન,ප්‍රශ්නය";
export const ANSWERS =
  "answer,answers,response,responses,reply,replies,respuesta,respuestas,reponse,reponses,antwort,antworten,risposta,risposte,resposta,respostas,antwoord,antwoorden,svar,svaret,vastaus,vastaukset,odpowiedz,odpowiedzi,odpoved,odpovede,odpovedi,valasz,valaszok,raspuns,raspunsuri,odgovor,odgovori,vastus,atbilde,atsakymas,cevap,cevaplar,yanit,yanıt,cavab,javob,απαντηση,απαντησεις,ответ,ответы,ответа,відповідь,відповіді,отговор,отговори,одговор,жауап,жооп,хариулт,jawaban,jawapan,sagot,jibu,majibu,freagra,ateb,erantzuna,pergjigje,պատասխան,პასუხი,תשובה,תשובות,جواب,الجواب,إجابة,الإجابة,اجابة,الاجابة,الرد,پاسخ,उत्तर,जवाब,উত্তর,பதில்,సమాధానం,ಉತ್ತರ,ഉത്തരം,જવાબ,පිළිතුර";

/** Written without spaces between words: a part of the name is enough. */
export const QUESTIONS_INSIDE =
  "问题,問題,标准问,標準問,标问,提问,提問,问法,問法,问句,質問,質疑,問い,设问,設問,질문,문의,질의,câu hỏi,cau hoi,คำถาม,សំណួរ,ຄຳຖາມ,မေးခွန်း";
export const ANSWERS_INSIDE =
  "答案,回答,答复,答覆,回复,回覆,应答,應答,返答,回应,回應,话术,答え,解答,답변,대답,응답,회신,câu trả lời,cau tra loi,trả lời,tra loi,คำตอบ,ចម្លើយ,ຄຳຕອບ,အဖြေ";
/** German, Dutch and the Nordic languages join words: Kundenfrage, klantvraag, Standardsvar. */
export const JOINED_QUESTION =
  /(?:frage|fragen|fragetext|fragestellung|vraag|vragen|fraga|fragan|sporgsmal|sporsmal)$/;
export const JOINED_ANSWER =
  /(?:antwort|antworten|antworttext|antwortvorlage|antwoord|antwoorden|antwoordtekst|svar|svaret|svarstekst|svarstext)$/;

export const LIKELY_QUESTIONS =
  "query,prompt,instruction,utterance,utterances,problem,probleme,problema,inquiry,enquiry,faq,问,問,consulta,requete,anfrage,demande,duda";
export const LIKELY_ANSWERS =
  "solution,losung,loesung,solucion,solucao,soluzione,oplossing,losning,rozwiazanie,решение,completion,output,解决方案,解決方案,解決策,解决方法,解決方法,해결,해결방법,답,答,fulfillment";
export const LOOSE_QUESTIONS =
  "title,subject,headline,heading,titel,titre,titulo,titolo,tytul,betreff,objet,asunto,assunto,oggetto,onderwerp,uberschrift,ueberschrift,otsikko,rubrik,overskrift,baslik,заголовок,название,тема,标题,標題,题目,題目,主题,主題,タイトル,件名,題名,제목,عنوان,العنوان,כותרת,शीर्षक,tieu de,หัวข้อ,front,input,τιτλος,nazov,nazev,cim";
export const LOOSE_ANSWERS =
  "body,content,contents,text,html,markdown,inhalt,contenu,corps,texte,contenido,cuerpo,texto,conteudo,corpo,contenuto,testo,inhoud,tekst,innehall,indhold,innhold,sisalto,teksti,tresc,obsah,tartalom,icerik,metin,содержание,содержимое,текст,контент,内容,內容,正文,本文,内文,コンテンツ,내용,본문,محتوى,المحتوى,النص,תוכן,सामग्री,noi dung,เนื้อหา,back,explanation,περιεχομενο,κειμενο";

export const ALTERNATES =
  "index,indexes,similar,similars,alternate,alternates,alternative,alternatives,variant,variants,variation,variations,paraphrase,paraphrases,synonym,synonyms,rephrasing,rephrasings";
export const ALTERNATES_INSIDE =
  "相似,扩展问,擴展問,同义问,近似问,类似问,類似,相近,别名问,別の聞き方,言い換え,유사,similar question,alternative question,alternate question,alternative phras,similar phras,other phras,preguntas similares,ahnliche frage,variante";
export const TAGS = "tag,tags,label,labels,标签,標籤,タグ,태그,schlagworte,etiquetas,etiquettes";

/** With one of these words a name is about a question or an answer, and is neither. */
export const ABOUT =
  "id,ids,uuid,guid,no,nr,num,number,numbers,numero,nummer,nombre,key,code,ref,reference,referenz,rank,position,sort,order,priority,type,types,typ,tipo,tipe,kind,class,category,categories,categorie,kategorie,kategori,categoria,kategoria,section,folder,collection,group,date,dates,datum,fecha,data,time,timestamp,created,updated,modified,published,at,by,author,auteur,autor,autore,owner,assignee,respondent,requester,responder,status,state,stage,active,enabled,visible,visibility,permission,url,urls,uri,link,links,href,slug,path,permalink,source,sources,file,filename,attachment,attachments,image,images,bild,video,audio,media,views,votes,likes,dislikes,helpful,count,total,score,rating,confidence,similarity,percent,version,revision,email,phone,metadata,meta,seo,intent,action,actions,redirect,note,notes,comment,comments,remark,remarks,feedback,excerpt,summary,subtitle,teaser,option,options,choice,choices,related,follow,suggested,next,prompts,parent,length,tokens,words,language,languages,locale,lang,sprache,langue,idioma,lingua,taal,jezyk,язык,keyword,keywords,stichworte,номер,дата,категория,тип,статус,автор,ссылка,количество,estado,etat,statut,numero de,cantidad,enlace,lien,fuente,quelle,stand,anzahl,erstellt,bearbeiter,verfasser,zeit,hash,vector,embedding,flag,is,has,was,hint,template,umfrage,ansvar";
export const ABOUT_INSIDE =
  "编号,編號,序号,序號,分类,分類,类型,類型,类别,類別,种类,时间,時間,日期,日時,日付,状态,狀態,状態,来源,來源,链接,連結,网址,语言,語言,言語,数量,次数,件数,作者,提问人,提問者,质问者,質問者,回答者,回复人,回复者,答复人,操作人,创建人,番号,カテゴリ,リンク,번호,유형,분류,카테고리,날짜,일시,일자,상태,답변자,질문자,작성자,링크,관련,关联,關聯,相关,关键,備考,备注,備註,비고,否定,推荐,猜你,图片,附件,优先级,満足度,満意度,点赞,هوية,رقم,تاريخ,फ़ाइल,दिनांक";
export const JOINED_ABOUT =
  /(?:id|nr|nummer|nummern|typ|type|datum|zeit|dauer|kategorie|status|quelle|link|anzahl|rate|quote|geber|steller)$/;
