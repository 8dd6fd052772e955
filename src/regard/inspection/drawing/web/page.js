"use strict";(()=>{var on=globalThis,ft=on.trustedTypes,Yn=ft?ft.createPolicy("lit-html",{createHTML:e=>e}):void 0,sn="$lit$",ee=`lit$${Math.random().toFixed(9).slice(2)}$`,rn="?"+ee,Er=`<${rn}>`,he=document,et=()=>he.createComment(""),tt=e=>e===null||typeof e!="object"&&typeof e!="function",an=Array.isArray,oo=e=>an(e)||typeof e?.[Symbol.iterator]=="function",nn=`[ 	
\f\r]`,Ze=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Qn=/-->/g,Zn=/>/g,de=RegExp(`>|${nn}(?:([^\\s"'>=/]+)(${nn}*=${nn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),eo=/'/g,to=/"/g,so=/^(?:script|style|textarea|title)$/i,ln=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),d=ln(1),se=ln(2),cc=ln(3),nt=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),no=new WeakMap,pe=he.createTreeWalker(he,129);function ro(e,t){if(!an(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Yn!==void 0?Yn.createHTML(t):t}var io=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=Ze;for(let a=0;a<n;a++){let c=e[a],u,p,h=-1,g=0;for(;g<c.length&&(i.lastIndex=g,p=i.exec(c),p!==null);)g=i.lastIndex,i===Ze?p[1]==="!--"?i=Qn:p[1]!==void 0?i=Zn:p[2]!==void 0?(so.test(p[2])&&(s=RegExp("</"+p[2],"g")),i=de):p[3]!==void 0&&(i=de):i===de?p[0]===">"?(i=s??Ze,h=-1):p[1]===void 0?h=-2:(h=i.lastIndex-p[2].length,u=p[1],i=p[3]===void 0?de:p[3]==='"'?to:eo):i===to||i===eo?i=de:i===Qn||i===Zn?i=Ze:(i=de,s=void 0);let b=i===de&&e[a+1].startsWith("/>")?" ":"";r+=i===Ze?c+Er:h>=0?(o.push(u),c.slice(0,h)+sn+c.slice(h)+ee+b):c+ee+(h===-2?a:b)}return[ro(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},ot=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,a=t.length-1,c=this.parts,[u,p]=io(t,n);if(this.el=e.createElement(u,o),pe.currentNode=this.el.content,n===2||n===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(s=pe.nextNode())!==null&&c.length<a;){if(s.nodeType===1){if(s.hasAttributes())for(let h of s.getAttributeNames())if(h.endsWith(sn)){let g=p[i++],b=s.getAttribute(h).split(ee),w=/([.?@])?(.*)/.exec(g);c.push({type:1,index:r,name:w[2],strings:b,ctor:w[1]==="."?bt:w[1]==="?"?yt:w[1]==="@"?wt:fe}),s.removeAttribute(h)}else h.startsWith(ee)&&(c.push({type:6,index:r}),s.removeAttribute(h));if(so.test(s.tagName)){let h=s.textContent.split(ee),g=h.length-1;if(g>0){s.textContent=ft?ft.emptyScript:"";for(let b=0;b<g;b++)s.append(h[b],et()),pe.nextNode(),c.push({type:2,index:++r});s.append(h[g],et())}}}else if(s.nodeType===8)if(s.data===rn)c.push({type:2,index:r});else{let h=-1;for(;(h=s.data.indexOf(ee,h+1))!==-1;)c.push({type:7,index:r}),h+=ee.length-1}r++}}static createElement(t,n){let o=he.createElement("template");return o.innerHTML=t,o}};function me(e,t,n=e,o){if(t===nt)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=tt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=me(e,s._$AS(e,t.values),s,o)),t}var gt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??he).importNode(n,!0);pe.currentNode=s;let r=pe.nextNode(),i=0,a=0,c=o[0];for(;c!==void 0;){if(i===c.index){let u;c.type===2?u=new Se(r,r.nextSibling,this,t):c.type===1?u=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(u=new $t(r,this,t)),this._$AV.push(u),c=o[++a]}i!==c?.index&&(r=pe.nextNode(),i++)}return pe.currentNode=he,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},Se=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=me(this,t,n),tt(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==nt&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):oo(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&tt(this._$AH)?this._$AA.nextSibling.data=t:this.T(he.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=ot.createElement(ro(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new gt(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=no.get(t.strings);return n===void 0&&no.set(t.strings,n=new ot(t)),n}k(t){an(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(et()),this.O(et()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},fe=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=m}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=me(this,t,n,0),i=!tt(t)||t!==this._$AH&&t!==nt,i&&(this._$AH=t);else{let a=t,c,u;for(t=r[0],c=0;c<r.length-1;c++)u=me(this,a[o+c],n,c),u===nt&&(u=this._$AH[c]),i||=!tt(u)||u!==this._$AH[c],u===m?t=m:t!==m&&(t+=(u??"")+r[c+1]),this._$AH[c]=u}i&&!s&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},bt=class extends fe{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},yt=class extends fe{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},wt=class extends fe{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=me(this,t,n,0)??m)===nt)return;let o=this._$AH,s=t===m&&o!==m||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==m&&(o===m||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},$t=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){me(this,t)}},ao={M:sn,P:ee,A:rn,C:1,L:io,R:gt,D:oo,V:me,I:Se,H:fe,N:yt,U:wt,B:bt,F:$t},Mr=on.litHtmlPolyfillSupport;Mr?.(ot,Se),(on.litHtmlVersions??=[]).push("3.3.1");var lo=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new Se(t.insertBefore(et(),r),r,void 0,n??{})}return s._$AI(e),s};var un=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"mean",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},inspection:{result:null,sentence:null,flow:null,lookup:null,snapshot:null},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),l=un(),dn={output:{compared:null,attribution:null},inspection:{result:null,sentence:null,flow:null,lookup:null,snapshot:null},heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},vt=[{output:{sentences:[],sourceText:"",html:""}},dn],co=[],cn=!1;function pn(e){co.push(e)}function st(e){for(let[t,n]of Object.entries(e))Object.assign(l[t],n)}function f(...e){e.forEach(st),!cn&&(cn=!0,requestAnimationFrame(()=>{cn=!1;for(let t of co)t()}))}var H="flow.",re="mean.",ie=["rollout","gradient","integrated-gradients"],Ae=e=>e.direction??e.name??"",A=()=>l.server.models.find(e=>Ae(e)===l.request.modelName),$=()=>l.output.sentences[l.view.sentenceIndex],S=()=>!l.server.storedPage&&A()?.direction!==void 0,rt=()=>S()||!l.server.storedPage&&A()?.arch==="decoder";function z(){let e=A();return!l.server.storedPage&&l.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var F=()=>l.output.sourceText!==""&&l.output.sourceText!==l.request.text,R=()=>l.inspection.result!==null&&l.inspection.sentence!==($()??null);function ge(e=l.inspection.sentence){let t=(e?.tokens??[]).map(n=>n.token);return S()?[...t,"end"]:t.slice(1)}var hn=e=>e!=="encoder"||l.inspection.result?.target===null;var C=e=>e.split(".").slice(0,2).join("."),mn=()=>l.inspection.result?[...l.inspection.result.weights.keys()]:[],uo=(e,t)=>e[(t+e.length)%e.length];function Re(e){let t=mn(),n=uo(t,t.indexOf(l.view.head)+e);n&&f({view:{head:n}})}function Pe(e){let t=[...new Set(mn().map(C))],n=uo(t,t.indexOf(C(l.view.head))+e),o=mn().find(s=>C(s)===n);o&&f({view:{head:o}})}function xt(){let e=l.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${re}${e}`,isOfModel:t}}var Ee=5;function q(){let e=A();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Me=()=>l.request.temperature?{method:"sample",temperature:l.request.temperature,seed:l.request.seed}:{beam_size:l.request.beamSize},_e=e=>S()?{...q(),text:e.source,target_ids:e.ids}:{model:A().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},kt=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var j=class extends Error{constructor(n,o){super(o);this.status=n}},Tt=0,_r=410,po="regard-key",Cr=255;async function ho(){try{return(await fetch("health")).ok}catch{return!1}}var mo=e=>sessionStorage.setItem(po,e);function Or(e){let t=sessionStorage.getItem(po);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function fn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:Or(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new j(Tt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new j(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function M(e,t,n){return await(await fn(e,t,n)).json()}async function*fo(e,t){let o=(await fn("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new j(Tt,"The server went away while it was answering. Is it still running?")});if(i)return;let a=(s+r).split(`

`);s=a.pop()??"";for(let c of a){let[u,p]=c.split(`
`);yield{name:u.slice(7),data:JSON.parse(p.slice(6))}}}}async function gn(e,t,n){try{return await M(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof j)||o.status!==_r)throw o;return e.id=(await M("inspect",e.request,n)).id,await M(`inspect/${e.id}/${t}`,void 0,n)}}async function Hr(e,t,n){let o=await fn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,a]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((p,h)=>{let g=r.subarray(h*i*a,(h+1)*i*a);return[p,{rows:i,keys:a,values:g,scale:c,forbidden:Cr}]})}async function Ce(e,t){let n=await M("inspect",{...e,lens:!0},t),o=Object.keys(n.tokens),s=await Promise.all(o.map(r=>Hr(n.id,r,t)));return{...n,request:e,weights:new Map(s.flat())}}var Lr=403,Ir=2e3,Nr=4e3,be=new Map;async function P(e,t,n){be.get(e)?.abort();let o=new AbortController;be.set(e,o),e==="translate"&&Br(),t&&f({status:{busy:{...l.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||Wr(s),!1}finally{be.get(e)===o&&go(e)}}function St(e,t){f({status:{busy:{...l.status.busy,[e]:t}}})}function Wr(e){let t=e instanceof j?e.status:void 0,n=e instanceof Error?e.message:String(e);f({status:{error:n,needsApiKey:t===Lr}}),t===Tt&&wo()}function Br(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function Dr(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function go(e){be.delete(e),e==="translate"&&Oe(()=>{be.has(e)||Dr()}),f({status:{busy:Object.fromEntries(Object.entries(l.status.busy).filter(([t])=>t!==e))}})}function Oe(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var bn=0,bo=()=>Promise.resolve();function yo(e){bo=e}function wo(){clearTimeout(bn),bn=window.setTimeout(()=>{ho().then(e=>{e?yn():l.status.error&&wo()})},Ir)}async function yn(){clearTimeout(bn),f({status:{error:"",needsApiKey:!1}}),await bo()}function $o(e){f({status:{notice:e}}),setTimeout(()=>{l.status.notice===e&&f({status:{notice:""}})},Nr)}var At=e=>be.has(e);function ye(e){be.get(e)?.abort(),go(e)}var Fr=50;async function He(e){let{disabled:t}=l.heads,n=e.every(o=>t.includes(o));await te(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function te(e){let{undoStack:t,disabled:n}=l.heads;f({heads:{disabled:e,undoStack:[...t,n].slice(-Fr)}}),await X()}async function vo(){let{undoStack:e}=l.heads;f({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await X()}async function X(){let{sentence:e}=l.inspection;if(!l.heads.disabled.length)return ye("ablate"),f({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!z()||R()||await P("ablate","Running without heads",async t=>{let n=S()?kt(e):{prompt:e.source,...e.decoding},o={..._e(e),heads:l.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await M("ablate",o,t),[i]=s;f({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Le(){let{result:e,sentence:t}=l.inspection;if(!t?.isDone||!e||R())return;let n=[...e.weights.keys()],o=[...new Set(n.map(C))];await P("rank","Taking each head away",async s=>{let r={},i={};for(let[a,c]of o.entries()){let u=n.filter(h=>C(h)===c),p=await M("ablate",{..._e(t),sweep:!0,heads:u},s);if(l.inspection.result!==e)return;r={...r,...p.worth},i={...i,...p.by_token},f({heads:{importance:r,importanceByToken:i}}),St("rank",`Taking each head away: ${a+1} of ${o.length} layers`)}f({heads:{sortBy:"worth"}})}),l.status.error&&l.inspection.result===e&&f({heads:{importance:null,importanceByToken:{}}})}var Et=null,J=()=>Et;function Ne(){Et=null}var qr=()=>({edits:l.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:l.inspection.snapshot,compared:l.output.compared,tracesSearch:l.search.trace!==null&&l.search.trace.source===$()?.source,ranksHeads:l.heads.importance!==null}),jr=16,Ur=1e3,Vr=5,Gr=1e9,Rt=e=>e==="true",Ie=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},Pt=Ie(0,Gr),xo=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Kr=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),zr=e=>ie.some(t=>e===`${H}${t}`),Xr=e=>xo(e)||Kr(e)||zr(e)?e:void 0,Jr=e=>e.split(",").filter(xo),O=(e,t,n)=>({group:e,field:t,parse:n}),vn={direction:O("request","modelName",String),text:O("request","text",String),beam:O("request","beamSize",Ie(1,jr)),temperature:O("request","temperature",Ie(0,Vr,!1)),seed:O("request","seed",Ie(0,Number.MAX_SAFE_INTEGER)),length:O("request","maxTokens",Ie(1,Ur)),at:O("view","sentenceIndex",Pt),step:O("view","outputPosition",Pt),source:O("view","inputPosition",Pt),key:O("view","keyPosition",Pt),head:O("view","head",Xr),share:O("view","rowShare",Ie(.1,1,!1)),words:O("view","groupsWords",Rt),alone:O("view","hidesOtherRows",Rt),isExplained:O("view","showsComputation",Rt),isHtml:O("request","isHtml",Rt),sortBy:O("heads","sortBy",String),off:O("heads","disabled",Jr)},Yr=["direction","text","beam","temperature","seed","length","at","off","isHtml"],xn=(e,{group:t,field:n})=>e[t][n]??null,ko=un(),wn=!1;function W(){wn=!0}function Qr(e){let t=!l.request.translatesWhileTyping&&!l.status.busy.translate&&!l.status.error;return e==="text"&&F()&&t?l.output.sourceText:xn(l,vn[e])}var Zr=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function ei(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Et??qr();return[["edits",e.length?JSON.stringify(e.map(Zr)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}function To(){let{storedPage:e}=l.server,t=new URLSearchParams;for(let[o,s]of Object.entries(vn)){let r=Qr(o);e&&Yr.includes(o)||r===null||r===xn(ko,s)||String(r)===""||t.set(o,String(r))}if(!e){for(let[s,r]of ei())t.set(s,r);let o=[...l.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=o?`${o} · Regard`:"Regard"}let n=`#${t}`;n===(location.hash||"#")||location.protocol==="about:"||(wn?history.pushState(null,"",n):history.replaceState(null,"",n),wn=!1)}var $n=e=>Number.isSafeInteger(e)&&e>=0,So=e=>Array.isArray(e)?e.filter($n):[];function Ao(e){try{return JSON.parse(e??"null")}catch{return null}}function ti(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!$n(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:So(r)}}]:$n(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function ni(e){let t=Ao(e);return Array.isArray(t)?t.flatMap(ti):[]}function oi(e){let t=Ao(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:So(t[1])}:e?{text:e,ids:[]}:null}function kn(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(vn)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??xn(ko,s))}let n=Number(e.get("snapshot")??NaN);return Et={edits:ni(e.get("edits")),snapshot:n>=0?n:null,compared:oi(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var Mt=()=>st(kn());var Tn=new Map,Ro=()=>Tn.clear();function U(e){let t=Tn.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Tn.set(e,o),o}var ae=(e,t)=>`rgba(${U(e).join(", ")}, ${t.toFixed(3)})`,Y=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var si=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,ri=new RegExp(String.raw`\s+|${si.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),ii=4e6,we=e=>[...e.matchAll(ri)].map(({0:t,index:n})=>({text:t,begin:n}));function _t(e,t){let n=p=>p.map(h=>h.text).filter(h=>h.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,a=0;for(;i<r&&o[i]===s[i];)i++;for(;a<r-i&&o.at(-1-a)===s.at(-1-a);)a++;let c=ai(o.slice(i,o.length-a),s.slice(i,s.length-a)),u=(p,h,g)=>{let b=new Set(c.map(y=>y[h]+i)),w=-1;return p.map(y=>y.text.trim()!==""&&++w>=i&&w<g-a&&!b.has(w))};return[u(e,0,o.length),u(t,1,s.length)]}function ai(e,t){let n=[],o=t.length+1;if(e.length*t.length>ii)return n;let s=new Uint32Array((e.length+1)*o),r=(i,a)=>s[i*o+a];for(let i=e.length-1;i>=0;i--)for(let a=t.length-1;a>=0;a--){let c=e[i]===t[a];s[i*o+a]=c?r(i+1,a+1)+1:Math.max(r(i+1,a),r(i,a+1))}for(let i=0,a=0;i<e.length&&a<t.length;)e[i]===t[a]?n.push([i++,a++]):r(i+1,a)>=r(i,a+1)?i++:a++;return n}function Po(e,t){let n=[we(e),we(t)],o=_t(...n),s=r=>n[r].filter((i,a)=>o[r][a]).map(i=>i.text);return[s(0),s(1)]}var We=e=>JSON.stringify([l.request.modelName,e.source,l.request.beamSize,e.prefix]);async function le(){let e=$();e?.isDone&&await P("search","Searching",async t=>{let n=We(e),o={...q(),text:e.source,beam_size:l.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await M("translate",o,t),r=$();r&&We(r)===n&&f({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function li(e,{weights:t}){return e==="mean"||t.has(e)||ie.some(n=>e===`${H}${n}`)?!0:[...t.keys()].some(n=>e===`${re}${C(n)}`)}function it(e,t,n=null){let{head:o,outputPosition:s}=l.view,r=l.heads.disabled.filter(i=>e.weights.has(i));f({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:li(o,e)?o:"mean",outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),l.view.head.startsWith(H)&&ne(l.view.head)}async function B(){let e=$();if(!e?.isDone||!e.text||!S()||(await P("inspect","Looking inside",async n=>{it(await Ce(_e(e),n),e)}),R()))return;l.heads.disabled.length&&await X();let{trace:t}=l.search;t?.source===e.source&&t.requestKey!==We(e)&&await le()}async function Ct(e){let t=$();!t?.isDone||!t.text||(f({inspection:{snapshot:e}}),await P("inspect","Loading a snapshot",async n=>{let o={..._e(t),snapshot:e,...kt(t)};it(await Ce(o,n),t,e)}))}async function ne(e){let t=l.inspection.result;if(!e.startsWith(H)||!t)return f({view:{head:e},inspection:{flow:null}});await P("flow","Following the layers",async n=>{let o=await gn(t,`flow/${e.slice(H.length)}`,n);l.inspection.result===t&&f({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var Eo="";function _o(e){let{result:t,lookup:n}=l.inspection,{head:o,showsComputation:s}=l.view;if(!t?.weights.has(o)||!s||R())return;let r=Sn(e),i=Eo===r&&(At("lookup")||l.status.error!=="");n?.cell===r||i||(Eo=r,P("lookup","",async a=>{let c=await gn(t,`lookup/${o}/${e.row}/${e.key}`,a);f({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var ci=0,Mo=new WeakMap;function Sn({row:e,key:t}){let n=l.inspection.result,o=Mo.get(n)??++ci;return Mo.set(n,o),`${o}/${l.view.head}/${e}/${t}`}async function Co(){await P("models","",async e=>{let{models:t}=await M("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Ae(s)===l.request.modelName);f({server:{models:t},request:{modelName:o?l.request.modelName:Ae(n)},status:{error:"",needsApiKey:!1}})})}async function Be(){await P("count","",async e=>{if(!l.request.text.trim()||!S())return f({tokenCounts:{total:null}});let t={...q(),text:l.request.text},n=await M("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);f({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var De=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function An(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var V=e=>e.join("").replaceAll("▁"," ").trimStart(),Ot=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),Fe=e=>/^<[^<>]+>$/.test(e);function $e(e,t,n="inserted"){let o=we(e),[s]=_t(o,we(t)),r=i=>n==="deleted"?d`<del>${i}</del>`:d`<mark>${i}</mark>`;return d`${o.map((i,a)=>s[a]?r(i.text):i.text)}`}var Oo=e=>Fe(e)?`
`:e.replaceAll("▁"," ");function Rn({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>Oo(i.token)),o=we(n.join("")),[s]=_t(o,we(t.tokens.map(i=>Oo(i.token)).join(""))),r=0;return n.map(i=>{let a=r;r+=i.length;let c=u=>u.begin<r&&u.begin+u.text.length>a;return o.some((u,p)=>s[p]&&c(u))})}var x=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",ui=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,ce=e=>ui.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",di=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,pi=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function Ho(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>di.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!pi.some(r=>r.test(n))&&o!=="ء"}function qe(e,t){let n=Ho(e[t-1],e[t])?["joins-before"]:[],o=Ho(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var ve=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function ue(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var at=(e,t)=>Array.from({length:e.keys},(n,o)=>ue(e,t,o));function Pn(e,t){let n=e.map((i,a)=>a).sort((i,a)=>e[a]-e[i]),o=new Set,s=e.reduce((i,a)=>i+a,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var En=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function Lo(e){let t=En(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function Io(e){let[t]=e,n=En(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function No(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function Wo(e,t,n){let o=En(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,a)=>{let c=s.every(h=>i.every(g=>ve(e,h,g))),u=h=>i.reduce((g,b)=>g+ue(e,h,b),0),p=s.reduce((h,g)=>h+u(g),0);o.values[r*n.length+a]=c?o.forbidden:p/s.length})}),o}var jo=new WeakMap,Uo=e=>jo.get(e);function Vo(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),jo.set(t,e),t}var Bo=new WeakMap;function Go(e,t){let n=Bo.get(e)??new Map,o=[t,...U("paper"),...U("heat")].join(" "),s=n.get(o)??hi(e,t);return Bo.set(e,n.set(o,s)),s}function Mn(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function hi(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let u=0;u<e.rows;u++)for(let p=0;p<e.keys;p++){if(ve(e,u,p))continue;let h=Math.floor(u*n/e.rows)*o+Math.floor(p*o/e.keys);s[h]=Math.max(s[h],ue(e,u,p))}let r=new ImageData(o,n),[i,a,c]=[U("paper"),U("heat"),U("forbidden")];return s.forEach((u,p)=>{u<0?Mn(r,p,c,c,1):Mn(r,p,i,a,u)}),Vo(r)}var _n=new WeakMap,Ko=e=>_n.get(e);function zo(e,t){_n.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[]}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function Xo(e,t,n){zo(e,Go(t,n))}function Jo(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((a,c)=>{let u=U(a<0?"less":"more");Mn(o,i*n+c,U("paper"),u,Math.abs(a)/s)})}),zo(e,Vo(o))}var mi=14,fi=120,Do=10,gi=30,bi=1.2,yi=6,Ht="12px system-ui, sans-serif";function Fo(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...x(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function qo(e,t,n){let o=Math.max(Math.ceil(mi/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function wi(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:a}=t;e.font=Ht;let c=Math.min(fi,n*.25),u=Fo(e,s,c),p=Fo(e,r,c),h=N=>Math.max(...N.map(Pr=>e.measureText(Pr).width)),g=h(u)+Do,b=h(p)+Do,w=Math.max(bi,Math.min(gi,(n-g-2)/r.length)),y=w>=yi?Math.floor(w):w,v=y*r.length,T=y*s.length,I=N=>g+y*(a?r.length-1-N:N),D={rows:qo(s.length,y,i.row),keys:qo(r.length,y,i.key)},Z=N=>Y(N?"accent":"ink"),Ar=[...D.rows.map(N=>({text:u[N],x:g-6,y:b+y*(N+.5),isVertical:!1,fill:Z(N===i.row)})),...D.keys.map(N=>({text:p[N],x:I(N)+.5*y,y:b-6,isVertical:!0,fill:Z(N===i.key)}))],Jn={stroke:Y("accent"),thickness:1.5},Rr=[{x:g-.5,y:b-.5,width:v+1,height:T+1,stroke:Y("line"),thickness:1},{x:g,y:b+y*i.row,width:v,height:y,...Jn},{x:I(i.key),y:b,width:y,height:T,...Jn}];return{plan:{image:Go(o,1/0),left:g,top:b,width:v,height:T,isMirrored:a,labels:Ar,frames:Rr},layout:{left:g,top:b,size:y,...D}}}function Yo(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=wi(o,t,n),{image:i,left:a,top:c,width:u,height:p,isMirrored:h,labels:g,frames:b}=s;_n.set(e,s);let w=window.devicePixelRatio||1;e.width=Math.round((a+u+2)*w),e.height=Math.round((c+p+2)*w),e.style.width=`${a+u+2}px`,e.style.height=`${c+p+2}px`,o.scale(w,w),o.imageSmoothingEnabled=!1,o.save(),h&&o.transform(-1,0,0,1,2*a+u,0),o.drawImage(i,a,c,u,p),o.restore();for(let y of g)Cn(o,y);for(let y of b)o.strokeStyle=y.stroke,o.lineWidth=y.thickness,o.strokeRect(y.x,y.y,y.width,y.height);return r}function Cn(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Ht,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var lt=12,$i="select, input, textarea, .unseen, .term, .save, .peek, [data-unsaved]",vi=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*xi(e,t,n){let o=document.createRange();for(let{0:s,index:r}of e.data.matchAll(/\S+/gu)){o.setStart(e,r),o.setEnd(e,r+s.length);let{x:i,y:a,width:c,height:u}=o.getBoundingClientRect(),p=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;c&&(yield{kind:"text",x:i,y:a,width:c,height:u,text:s,fill:n,font:p,direction:t.direction})}}function*ki(e,{x:t,y:n,width:o,height:s},r){let i=Ko(e);if(!i||!o)return;let{image:a,isMirrored:c}=i,u=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:a,isMirrored:c,opacity:r,...u};for(let p of i.frames)yield{kind:"frame",radius:0,...p,x:t+p.x,y:n+p.y};for(let p of i.labels)yield{kind:"label",...p,x:t+p.x,y:n+p.y,width:0,height:0}}function*Ti(e,t,n){let{x:o,y:s,width:r,height:i}=n,a=parseFloat(t.borderRadius)||0,c=(p,h=2)=>({kind:"frame",stroke:p,thickness:h,radius:a,...n}),u=(p,h,g=2)=>({kind:"line",...n,path:p,origin:[o,s],stroke:h,thickness:g,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield u(`M 0 0 L ${r} ${i}`,Y("less"))),e.matches("del")&&(yield u(`M 0 ${i/2} L ${r} ${i/2}`,Y("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(Y("accent"))),e.matches(".token.prefix-end")&&(yield c(Y("more"))),e.matches(".token.new, u.new")&&(yield u(`M 2 ${i-1} L ${r-2} ${i-1}`,Y("more")))}function Si(e,t,{x:n,y:o,width:s,height:r}){let{e:i,f:a}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[i,a],stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Qo(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches($i)||i.visibility==="hidden")return;let a=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*ki(e,r,c);else if(e instanceof SVGPathElement)yield Si(e,i,r);else if(e instanceof SVGRectElement)yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!a&&o&&!vi(i.backgroundColor)){let u=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:u}}for(let u of e.childNodes)u instanceof Text?yield*xi(u,i,a?i.fill:i.color):u instanceof Element&&u.tagName!=="title"&&(yield*Qo(u));a||(yield*Ti(e,i,r))}function Lt(e){let{classList:t}=document.documentElement;t.add("saving");try{return Ai(e)}finally{t.remove("saving")}}function Ai(e){let t=[],n=lt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,a=r.y-s.scrollTop,c=n;for(let u of Qo(s)){let p=u.x-i+lt,h=u.y-a+n;t.push(u.kind==="line"?{...u,x:p,y:h,origin:[u.origin[0]-i+lt,u.origin[1]-a+n]}:{...u,x:p,y:h}),o=Math.max(o,p+u.width),c=Math.max(c,h+u.height)}n=c+lt}return{shapes:t,width:Math.ceil(o+lt),height:Math.ceil(n),paper:Y("paper")}}var It=2;function Ri(e,t){let{x:n,y:o,width:s,height:r}=t;e.save(),t.kind==="box"?(e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill()):t.kind==="frame"?(e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke()):t.kind==="cells"?(e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r)):t.kind==="label"?Cn(e,t):t.kind==="line"?(e.globalAlpha=t.opacity,e.translate(...t.origin),e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]),e.stroke(new Path2D(t.path))):(e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2)),e.restore()}function Zo(e){let{shapes:t,width:n,height:o,paper:s}=Lt(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=It*n,r.height=It*o,i.scale(It,It),i.fillStyle=s,i.fillRect(0,0,n,o);for(let a of t)Ri(i,a);return r}var Pi=3e5,On=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function Q(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):On(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function Ei({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Uo(e),a=new Map,c=o.width/r,u=o.height/i,p=(g,b)=>{let w=g*r+(t?r-1-b:b);return[0,1,2].map(y=>s[4*w+y].toString(16).padStart(2,"0")).join("")};for(let g=0;g<i;g++)for(let b=0,w;b<r;b=w){let y=p(g,b);for(w=b+1;w<r&&p(g,w)===y;)w++;let v={x:o.x+b*c,y:o.y+g*u,width:(w-b)*c,height:u},T=a.get(y)??[];a.set(y,T),T.push(Q("rect",v))}let h=[...a].map(([g,b])=>Q("g",{fill:`#${g}`},b.join("")));return Q("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},h.join(""))}function Mi({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let a=document.createElement("canvas");return a.width=e.width,a.height=e.height,a.getContext("2d").drawImage(e,0,0),Q("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:a.toDataURL()})}function _i(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return Q("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:a,radius:c}=e;return Q("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(a)})}case"cells":return e.image.width*e.image.height>Pi?Mi(e):Ei(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Ht}`};return Q("text",i,`⁨${On(e.text)}⁩`)}case"line":return Q("path",{d:e.path,transform:`translate(${e.origin.join(" ")})`,fill:"none",stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return Q("text",i,On(e.text))}}}function es(e){let{shapes:t,width:n,height:o,paper:s}=Lt(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(_i)].join(`
`),a={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${Q("svg",{xmlns:"http://www.w3.org/2000/svg",...a},`${i}
`)}
`}function ts(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var xe=(e,t,n="text/plain")=>ts(e,new Blob([t],{type:n}));function Ci(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function ns(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",ns);addEventListener("pointerdown",ns);function _(e,t,n,o){let s={PNG:()=>Zo(t).toBlob(i=>{i&&ts(`${e}.png`,i)}),SVG:()=>xe(`${e}.svg`,es(t),"image/svg+xml"),CSV:()=>xe(`${e}.csv`,Ci(n()),"text/csv"),JSON:()=>xe(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return d`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,a])=>d`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{a(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var os={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},ct=e=>(...t)=>({_$litDirective$:e,values:t}),je=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var Hn=class extends je{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},E=ct(Hn);var Oi={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","cross.1.2 is a head by kind, layer and number, each counted from 0. Encoder: the input looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the input. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a token looks at another, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells: a token that is being written may not look at later ones."],flow:["Through all layers","Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat below the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],lookup:["Query, key, softmax","Query and key are lists of numbers that the head makes of two tokens. Softmax turns scores into weights: e to the score, divided by the sum over the row."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Nt=8;function Hi(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Nt,Math.min(n.left,innerWidth-t.offsetWidth-Nt)),r=n.bottom+t.offsetHeight+Nt<innerHeight?n.bottom+4:Math.max(Nt,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function k(e){let[t,n]=Oi[e];return d`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}" aria-label="What is this: ${t}"></button
    ><span id="term-${e}" class="explanation" popover @toggle=${Hi}
      ><b>${t}.</b> ${n}</span
    ></span
  >`}var Li=24,Ii=.5,Ni=.1;function Wi(){let{ablations:e=[]}=l.inspection.result;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>d`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return d`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${k("nats")} ${_("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, nats per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}var ss=(e,t)=>`${e>0?"+":""}${e.toFixed(t)}`;function rs(e,t,n){let o=Math.max(n?Ii:Ni,...t.map(Math.abs)),s=(r,i)=>{let a=x(e[i]??""),c={width:`${50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return d`<div class="change" role="listitem" aria-label="${a} ${r.toFixed(2)} ${n}">
      <bdi>${a}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${E(c)}></span></span>
      <span class="number">${ss(r,2)}</span>
    </div>`};return d`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function Bi({token_changes:e,log_prob_change:t,text:n}){let o=l.heads.ablatedSentence,s=e.reduce((c,u)=>c+u,0),r=S()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",a=o.prefix!==""||o.edit?.kind==="translation";return d`<p> Written then: <bdi class="strong" id="written-then">${$e(n,o.text)}</bdi> </p>
    ${a?d`<p class="hint" id="same-prefix">${i}</p>`:m}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${ss(s,3)}</span> nats${k("nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, each token after the right ones:
    </p>
    ${rs(ge(o),e,"nats")}`}function Di({predicted:e=[]}){let t=l.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:a})=>[i,a])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(a=>a.label).join(" ");return d`<p>
      Said then: <bdi class="strong" id="written-then">${$e(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:a})=>o.get(i)-a);return d`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${rs(n,r,"")}`}function Fi(){let{disabled:e}=l.heads;if(!e.length)return d`<p class="hint">
      Switch a head off: this shows how much less likely each token becomes, and what the model
      ${rt()?"writes":"says"} instead.
    </p>`;let t=n=>d`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void He([n])}
      >${n} ✕</button
    >`;return d`<p class="chips"
    >${e.length>Li?`${e.length} heads are off.`:e.map(t)}</p
  >`}function qi(e){let{predicted:t,token_changes:n}=e,o=ge(l.heads.ablatedSentence);return _("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function is(){let{result:e,sentence:t}=l.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=l.heads;if(!e||!t)return m;if(l.server.storedPage)return Wi();if(!z())return m;let i=R()||n!==null&&o!==t,a=p=>d`${rt()?Bi(p):Di(p)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        A model was not trained without them, so this is what they are worth here, not what another model could do.
      </p>`,c=d`<button id="all-on" @click=${()=>void te([])}>Switch all on</button>`,u=d`<button id="undo" @click=${()=>void vo()}>Undo</button>`;return d`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without them</h2>
      ${s.length?c:m} ${r.length?u:m}
      ${n?qi(n):m}
    </div>
    ${Fi()} ${n?a(n):m}
  </section>`}var{I:Ou}=ao;var as=e=>e.strings===void 0;var ut=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),ut(o,t);return!0},Wt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},ls=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Vi(t)}};function ji(e){this._$AN!==void 0?(Wt(this),this._$AM=e,ls(this)):this._$AM=e}function Ui(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)ut(o[r],!1),Wt(o[r]);else o!=null&&(ut(o,!1),Wt(o));else ut(this,e)}var Vi=e=>{e.type==os.CHILD&&(e._$AP??=Ui,e._$AQ??=ji)},Bt=class extends je{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),ls(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(ut(this,t),Wt(this))}setValue(t){if(as(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Ln=new WeakMap,Ue=ct(class extends Bt{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Ln.get(t);n===void 0&&(n=new WeakMap,Ln.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Ln.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Gi({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let a=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(a=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(a=s+/^\s*/u.exec(o.slice(s,a).join(""))[0].length);let u=o.slice(s,a).join("");return s=a,u})}var cs=/^▁?(<unk>|\[UNK\])$/;function Ki(e,t){let n=t.trim();return cs.test(e)&&n&&!cs.test(n)?`<unk: ${n}>`:e}function Ft(e,t){let n=l.view.groupsWords?No(e):e.spelled.map((r,i)=>[i]),o=Gi(e,t),s=e.spelled.map((r,i)=>Ki(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:ce(t)}}function us({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function ds(e,t,n,o,s){let r=l.view.groupsWords?Wo(t,n.groups,o.groups):t,i=us(n,s.row),a=at(r,i),c=a.indexOf(Math.max(...a)),u=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:u?us(o,s.key):c}}function zi({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,a=Ft(e,r??s),c=Ft(t,s),{outputPosition:u,inputPosition:p}=l.view,h=r===null&&i.length>0,g=h?u-1:u,b=ds("flow",Lo(n),a,c,{row:g,key:p});return h&&(a.groups=a.groups.map(w=>w.map(y=>y+1))),b}function Xi(){let{tokens:e,weights:t}=l.inspection.result,{head:n}=l.view,o=[...t.keys()],s=o.filter(a=>n===`${re}${C(a)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(a=>a.startsWith(`${i}.`))}var Dt=null;function Ji(e){return Dt?.heads.length===e.length&&e.every((n,o)=>n===Dt.heads[o])||(Dt={heads:e,mean:Io(e)}),Dt.mean}function qt(){let{result:e,flow:t}=l.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=l.view;if(!e)return null;if(n.startsWith(H))return t&&zi(t);let{text:i,target:a,weights:c}=e,u=c.has(n)?[n]:Xi(),p=u[0].split(".")[0],h=e.tokens[p],g=u.map(T=>c.get(T)),b=Ft(h.rows,p==="encoder"?i:a??i),w=Ft(h.keys,p==="decoder"?a??i:i),y=h.rows.spelled.length-1,v=hn(p)?{row:Math.min(o,y),key:s}:{row:Math.min(s??0,y),key:r};return ds(p,g.length>1?Ji(g):g[0],b,w,v)}function G({kind:e,rows:t,keys:n},o,s){let r=({groups:c},u)=>c[Math.max(0,Math.min(u,c.length-1))][0],i=r(t,o),a=r(n,s);hn(e)?f({view:{outputPosition:i,inputPosition:a}}):f({view:{inputPosition:i,keyPosition:a}})}var ps=12;function K(e,t=1){let n=U("paper"),o=U(e);return d`<span class="ramp" aria-hidden="true"
    >${Array.from({length:ps},(s,r)=>{let i=n.map((a,c)=>Math.round(a+t*r/(ps-1)*(o[c]-a)));return d`<i ${E({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var L=e=>e.target.value,Ve=e=>e.target.checked,Ge=e=>e.ctrlKey||e.metaKey||e.altKey,jt=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);var Yi=1e3,Qi=.5,Zi=.35,ea=.05,hs=5,ta=.85,na=.6,Ut=null;function oa(e){let t=Math.min(l.view.rowShare,Qi);if(Ut?.weights===e&&Ut.share===t)return Ut.edges;let n=Math.max(1,Math.floor(Yi/e.rows)),o=Array.from({length:e.rows},(s,r)=>gs(e,r,t).slice(0,n)).flat();return Ut={weights:e,share:t,edges:o},o}function gs(e,t,n){let o=at(e,t);return[...Pn(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}function ms(e,{direction:t},n){let o=0;return e.map(s=>{o+=s;let r=o-s/2;return t==="rtl"?n-r:r})}function sa(e){let{weights:t,rows:n,keys:o,row:s}=e,r=v=>v.labels.map(T=>Math.max(22,9*[...x(T)].length+10)),i=v=>v.reduce((T,I)=>T+I,0),a=r(o),c=r(n),u=Math.max(i(a),i(c))+4,p=ms(a,o,u),h=ms(c,n,u),b=[...l.view.hidesOtherRows?[]:oa(t).filter(v=>v.row!==s),...gs(t,s,l.view.rowShare)],w=v=>{let T=v.row===s,I=Math.max(ea,T?v.weight:Zi*v.weight),D=h[v.row],Z=p[v.key];return se`<path class=${T?"edge here":"edge"} data-row=${v.row} data-key=${v.key}
      data-weight=${v.weight.toFixed(3)} opacity=${I} stroke-width=${1+3*v.weight}
      d="M ${D} 142 C ${D} 85, ${Z} 85, ${Z} 28"></path>`},y=(v,T,I,D,Z)=>se`<text x=${T} y=${I} class=${D?"here":""} @click=${Z}>\u2068${x(v)}\u2069</text>`;return d`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${u}
      height="170"
      role="img"
      aria-label="Curves from each token below to the tokens above that it looks at"
    >
      ${b.map(w)}
      ${o.labels.map((v,T)=>y(v,p[T],18,T===e.key,()=>G(e,s,T)))}
      ${n.labels.map((v,T)=>y(v,h[T],160,T===s,()=>G(e,T,e.key)))}
    </svg>
  </div>`}function ra({weights:e,rows:t,keys:n,row:o,key:s}){let r=(a,c)=>{let u=Math.max(0,Math.min(a-2,c-hs));return Array.from({length:Math.min(hs,c)},(p,h)=>u+h)},i=(a,c)=>{let u=ve(e,a,c)?"forbidden":ue(e,a,c).toFixed(2),p=`${x(t.labels[a])} → ${x(n.labels[c])} ${u}`;return d`<td role="gridcell" aria-label=${p}></td>`};return d`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(a=>d`<tr> ${r(s,e.keys).map(c=>i(a,c))} </tr>`)}
    </tbody>
  </table>`}function fs({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:a,choose:c}=o,u=(h,g)=>{let b=a(g),w=h!==""&&!/\p{Letter}/u.test(h),y=E({background:b?ae("heat",ta*b):"",color:b>na?"var(--paper)":""}),v=`part ${g===i?"here":""}`,[,T,I]=/^(\s*)([^]*)$/u.exec(h);if(qe(e,g))return d`${T}<span class=${v} @click=${()=>c(g)} ${y}>${I}</span>`;let D=I||h||x(t[g]);return d`<bdi class=${h?"":"symbol"} dir=${w?n:"auto"} @click=${()=>c(g)}
      >${I?T:m}<span class=${v} ${y}>${D}</span></bdi
    >`},p=e.map(u);return d`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${p}</p>`}function ia(e){let t=l.inspection.result?.target!==null;return e==="flow"?`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${l.inspection.flow?.caveat}`:e==="cross"?"Each row is a token of the output, as it is predicted; each column is a token of the input.":e==="decoder"&&t?"Each row is a token of the output, as it is predicted; each column is a token before it.":e==="decoder"?"Each row is a token of the text; each column is a token that it looks at: itself, or one before it.":`Each row is a token of the ${t?"input":"text"}; each column is a token of the same text that it looks at.`}function aa(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>G(t,n-1,o),ArrowDown:()=>G(t,n+1,o),ArrowLeft:()=>G(t,n,o-i),ArrowRight:()=>G(t,n,o+i),Home:()=>G(t,n,0),End:()=>G(t,n,s.keys-1),n:()=>Re(1),p:()=>Re(-1),PageDown:()=>Pe(1),PageUp:()=>Pe(-1)}[e.key];Ge(e)||!c||(c(),e.preventDefault())}var ke=null,bs=()=>ke;function la(e,t){if(!ke)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-ke.left)/ke.size),i=Math.floor((e.clientY-s.top-ke.top)/ke.size),a=o.direction==="rtl"?n.keys-1-r:r;i>=0&&a>=0&&i<n.rows&&a<n.keys&&G(t,i,a)}function ca(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",a={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=h=>{queueMicrotask(()=>{let g=h?.parentElement;g&&(ke=Yo(h,a,g.clientWidth))})},u=`${t.rows} rows, ${t.keys} columns`,p=d`<span><i class="stroke"></i> the others</span>`;return d`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${l.view.head}: ${u}. Arrow keys choose a cell."
        ${Ue(c)}
        @pointerdown=${h=>la(h,e)}
        @keydown=${h=>aa(h,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>weight 0 ${K("heat")} 1</span> <span><i class="forbidden"></i> forbidden by a mask</span>
      <span><i class="stroke here"></i> the chosen token</span> ${l.view.hidesOtherRows?m:p}
      ${k("weight")}
    </p>`}function ua({kind:e,weights:t,rows:n,keys:o,row:s,key:r,bestKey:i}){let a=t.values instanceof Uint16Array?3:2,c=w=>ue(t,s,w).toFixed(a),u=d`<bdi class="strong">${x(n.labels[s])}</bdi>`,p=d`<bdi class="strong">${x(o.labels[r])}</bdi>`,h=d`<span class="strong number">${c(r)}</span>`,g=!ve(t,s,r);if(e==="flow"&&g)return d`<p id="cell" role="status">${p} has a share of ${h} in ${u}.</p>`;let b=d`Most, ${c(i)}, goes to <bdi>${x(o.labels[i])}</bdi>.`;return d`<p id="cell" role="status">
    ${u} ${g?d`looks with ${h} at`:"may not look at"} ${p}.
    ${r===i?m:b}
  </p>`}function ys(){let e=(r,i)=>d`<option value=${r} ?selected=${r===l.view.head}>${i}</option>`,t=[...l.inspection.result.weights.keys()],n=[...new Set(t.map(C))],o=r=>d`<optgroup label=${r}>
      ${t.filter(i=>C(i)===r).map(i=>e(i,i))}
      ${e(`${re}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>d`<optgroup label="Through all layers">
      ${ie.map(r=>e(`${H}${r}`,r))}
    </optgroup>`;return d`<label
      >Head
      <select id="head" @change=${r=>void ne(L(r))}>
        ${e("mean","mean")} ${n.map(o)} ${l.server.storedPage?m:s()}
      </select></label
    >${k("head")} ${da()}`}function da(){let e=xt();if(!e)return m;let{head:t,isOfModel:n}=e;return d`<span class="together"
    ><button id="aligns" aria-pressed=${l.view.head===t} @click=${()=>void ne(t)}
      >${n?"Alignment head":"Alignment layer of this sentence"}</button
    >${k("alignment")}</span
  >`}function pa(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=l.view,o=`${Math.round(100*e)} %`;return d`<label
      >Share of a row
      <input
        id="share"
        type="range"
        min="0.1"
        max="1"
        step="0.05"
        .value=${String(e)}
        aria-valuetext=${o}
        @input=${s=>f({view:{rowShare:Number(L(s))}})}
      />
      <span class="number">${o}</span></label
    >${k("share")}
    <label
      ><input
        id="words"
        type="checkbox"
        .checked=${t}
        @change=${s=>f({view:{groupsWords:Ve(s)}})}
      />
      words</label
    >${k("words")}
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>f({view:{hidesOtherRows:Ve(s)}})}
      />
      only the chosen token</label
    >`}function ha({weights:e,rows:t,keys:n}){let o=(a,c)=>ve(e,a,c)?null:ue(e,a,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((a,c)=>n.labels.flatMap((u,p)=>{let h=o(c,p);return h===null?[]:[[c,p,a,u,h]]}))],r=(a,c)=>{let u=o(a,c);return u===null?null:Number(u)};return _("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:l.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((a,c)=>n.labels.map((u,p)=>r(c,p)))}))}function ma({kind:e,keys:t}){return d`<p class="hint" id="reading">
    ${ia(e)} ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":m} ${e==="flow"?m:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."}
  </p>`}function fa(){return d`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">Alignment</h2></div>
    ${l.inspection.result?ys():m}
    <p class="hint">${$()?"…":"After a translation, this shows which words of the text each word was written from."}</p>
  </section>`}function ws(){let e=qt(),{result:t,flow:n}=l.inspection;if(!e||!t)return fa();let{kind:o,weights:s,rows:r,keys:i,row:a,key:c}=e,u=at(s,a),p=Pn(u,l.view.rowShare),h=R()||o==="flow"&&n?.inspection!==t,g=fs(r,{id:"row-tokens",label:"tokens that look",chosen:a,shareOf:()=>0,choose:w=>G(e,w,c)}),b=fs(i,{id:"key-tokens",label:"tokens that are looked at",chosen:c,shareOf:w=>p.has(w)?u[w]:0,choose:w=>G(e,a,w)});return d`<section class="panel alignment ${h?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title">Alignment</h2>
      ${ys()} ${pa()} ${ha(e)}
    </div>
    ${sa(e)} ${ua(e)} ${ca(e)} ${ra(e)}
    <div class="sides">${g} ${b}</div>
    ${ma(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var ga=6,$s=320,vs=18;function In(e,t,n){let o=Math.max(...n.map(Math.abs),1e-9),s=$s/n.length,r=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,i=(a,c)=>se`<rect x=${c*s} width=${s} height=${vs} class=${a<0?"less":"more"}
      opacity=${(Math.abs(a)/o).toFixed(3)}><title>${a.toFixed(3)}</title></rect>`;return d`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${$s} ${vs}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${r}"
    >
      ${n.map(i)}
    </svg>
  </div>`}function ba(e,t){let{weights:n,allowed:o,scores:s,bias:r}=t,i=y=>s[y]+r[y],a=n.map((y,v)=>v).filter(y=>o[y]),c=Math.max(...a.map(i)),u=y=>Math.exp(i(y)-c),p=a.reduce((y,v)=>y+u(v),0),h=[...a].sort((y,v)=>i(v)-i(y)).slice(0,ga),g=h.includes(e.key)||!o[e.key]?h:[...h,e.key],b=y=>d`<tr class=${y===e.key?"strong":""}>
      <td><bdi>${x(e.keys.labels[y])}</bdi></td>
      <td class="number">${i(y).toFixed(2)}</td>
      <td class="number">${u(y).toFixed(3)}</td>
      <td class="number">${n[y].toFixed(3)}</td>
      <td class="fill">
        <span class="track"><span ${E({width:`${100*n[y]}%`})}></span></span>
      </td>
    </tr>`,w=a.length-g.length;return d`<table id="softmax">
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(score − ${c.toFixed(2)})</th>
          <th>÷ ${p.toFixed(2)} = weight</th>
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${g.map(b)} </tbody>
    </table>
    ${w>0?d`<p class="hint">and ${w} more keys.</p>`:m}`}function ya({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:a}=t;if(!a[e])return d`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((g,b)=>g+b,0),u=g=>d`<span class="number">${g.toFixed(3)}</span>`,p=d`, times ${u(s)} (1 ÷ √${n.length})`,h=d`, plus ${u(i[e])} for the positions`;return d`<p id="score">
    The sum, ${u(c)}${s===1?m:p}${i[e]?h:m}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function wa({row:e}){let{target:t,tokens:n}=l.inspection.result;if(!(t===null||l.view.head.startsWith("encoder.")))return n.decoder?.keys.spelled[e]}function $a(e,t){let n=d`<bdi class="strong">${x(e.rows.labels[e.row])}</bdi>`,o=d`<bdi class="strong">${x(e.keys.labels[e.key])}</bdi>`,s=wa(e),r=d`<p class="hint" id="place">
    The query is made where the model has read <bdi class="strong">${x(s??"")}</bdi> and is about
    to write ${n}.
  </p>`;return d`${s===void 0?m:r}
    ${In("query",s===void 0?d`query of ${n}`:d`query before ${n}`,t.query)}
    ${In("key",d`key of ${o}`,t.key)}
    ${In("terms",t.is_additive?"v · tanh(query + key)":"their product, number by number",t.terms)}
    ${ya(e,t)} ${ba(e,t)}
    <p class="legend"><span>below 0 ${K("less")}</span> <span>above 0 ${K("more")}</span></p>`}function va(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return _("computed",[".strip","#score","#softmax"],()=>[["key","score","position","allowed","weight"],...i.map((u,p)=>[u,n[p],o[p],Number(s[p]),r[p]])],()=>({head:l.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t}))}function xs(){let e=qt(),t=l.inspection.result;if(!t||!e||l.server.storedPage)return m;let{showsComputation:n,groupsWords:o,head:s}=l.view,r=t.weights.has(s);n&&!o&&_o(e);let i=n&&r&&!o?l.inspection.lookup:null,a=R()||i!==null&&i.cell!==Sn(e),u=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?$a(i.view,i.result):"…":"What is shown is not one head. Choose a head in the grid.":"A token asks with its query, the other tokens answer with their keys: this shows the numbers.";return d`<section class="panel computed ${a?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">How this weight is computed</h2>
      ${k("lookup")}
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>f({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?va(i.view,i.result):m}
    </div>
    ${typeof u=="string"?d`<p class="hint">${u}</p>`:u}
  </section>`}var xa=5,ka=480,ks=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function Ts(e){let{importance:t,importanceByToken:n}=l.heads,{sentence:o}=l.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return m;let i=S()?0:1,a=Math.max(0,Math.min(l.view.outputPosition-i,r-1)),c=e.findIndex((b,w)=>b===l.view.head&&s[w].length),u=x(ge()[a]??""),p=c<0?"":`${e[c]} is worth ${s[c][a].toFixed(3)} nats for ${u}.`,h=b=>{b&&Jo(b,s,r)},g=b=>{let w=b.target.getBoundingClientRect(),y=e[ks(b.clientY-w.top,w.height,e.length)],v=ks(b.clientX-w.left,w.width,r)+i;f({view:{head:y,outputPosition:Math.min(v,o.tokens.length-1)}})};return d`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${p}"
      ${Ue(h)}
      ${E({height:`${Math.min(xa*e.length,ka)}px`})}
      @pointerdown=${g}
    ></canvas>
    <p id="sweep-cell" role="status">${p||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${K("less")}</span>
      <span>less likely ${K("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${S()?", the end included":" after the first"}.
    </p>
  </details>`}var Ta=36,Sa=.4,Nn={place:()=>0,worth:({head:e})=>-(l.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},As=()=>l.heads.sortBy!=="place"&&Object.hasOwn(Nn,l.heads.sortBy);function Rs(){let{heads:e}=l.inspection.result;if(As()){let n=Nn[l.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>C(n.head)))].map(n=>({layer:n,heads:e.filter(o=>C(o.head)===n)}))}var Ps=()=>l.inspection.result.heads.map(e=>e.head),Es=e=>Ps().filter(t=>C(t)===C(e));function Ms(e){let t=Ps().filter(s=>s!==e),{disabled:n}=l.heads,o=n.length===t.length&&!n.includes(e);te(o?[]:t)}function Aa(e,t){let n=Rs().map(({heads:u})=>u.map(p=>p.head)),o=n.findIndex(u=>u.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),a=(u,p)=>u[Math.max(0,Math.min(p,u.length-1))];return{ArrowLeft:a(r,i-1),ArrowRight:a(r,i+1),ArrowUp:a(a(n,o-1),s),ArrowDown:a(a(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var Ss={n:()=>Re(1),p:()=>Re(-1),PageDown:()=>Pe(1),PageUp:()=>Pe(-1)};function Ra(e,t){if(Ge(e))return;let n=Aa(t,e.key);if(n!==void 0)f({view:{head:n}});else if(Object.hasOwn(Ss,e.key))Ss[e.key]();else if(e.key===" "&&z())He(e.shiftKey?Es(t):[t]);else if(e.key==="s"&&z())Ms(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${l.view.head}"]`)?.focus())}function Pa(e){let t=Math.max(...Object.values(l.heads.importance??{}),1e-9),n=ae("more",Sa*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return d`<span class="tag number" aria-hidden="true" ${E({background:n})}>${o}</span>`}function Ea({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Ma(e,t){let{head:n}=e,o=l.inspection.result.weights.get(n),s=l.heads.disabled.includes(n),r=l.heads.importance?.[n],i=Ea(e),a=u=>{u&&Xo(u,o,Ta)},c=n.replace(/^(\w)\w+/,"$1");return d`<button
    class="cell ${s?"off":""}"
    aria-pressed=${l.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>f({view:{head:n}})}
    @keydown=${u=>Ra(u,n)}
    ><canvas ${Ue(a)}></canvas>
    ${As()?d`<span class="tag" aria-hidden="true">${c}</span>`:m}
    ${r===void 0?m:Pa(r)}</button
  >`}function _a(e){let t=l.heads.disabled.includes(e),n=Es(e).filter(o=>o!==e);return d`<button id="toggle" data-unsaved @click=${()=>void He([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>Ms(e)}>Solo</button>
    <button data-unsaved @click=${()=>void te(n)}>Solo in its layer</button>`}function Ca({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=l.heads.importance?.[e];return d`<p class="chosen">
    <span class="strong" id="head-title">${e}</span>:
    <span id="statistics"
      >${t}${k("label")}; entropy ${n.toFixed(2)} nats${k("entropy")}, highest weight
      ${o.toFixed(2)}${k("highest")}${s===null?m:d`, offset ${s.toFixed(1)}${k("offset")}`},
      mean over rows.${r===void 0?m:d` Worth ${r.toFixed(3)} nats per token.`}</span
    >
    ${z()?_a(e):m}
  </p>`}function Oa(){let{sortBy:e,importance:t}=l.heads,n=Object.keys(Nn).filter(o=>o!=="worth"||t);return d`<label
    >Order
    <select id="order" @change=${o=>f({heads:{sortBy:L(o)}})}>
      ${n.map(o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`)}
    </select></label
  >`}function Ha(e,t){return e?z()?d`<button class="site" title="Switch the whole layer off or on" @click=${()=>void He(t)}
    >${e}</button
  >`:d`<span class="site">${e}</span>`:m}function La({layer:e,heads:t},n){let o=t.map(s=>s.head);return d`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Ha(e,o)}
    <div class="cells ${e?"":"sorted"}" ${E({"--count":String(t.length)})}>
      ${t.map(s=>Ma(s,s.head===n))}
    </div>
  </div>`}function Ia(){let{heads:e}=l.inspection.result,{importance:t,importanceByToken:n,disabled:o}=l.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return _("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?ge():[]],...e.map(({head:c,label:u,entropy:p,confidence:h,offset:g})=>{let b=t?n[c]??[]:[];return[c,u,p,h,g,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function _s(){let e=l.inspection.result;if(!e)return d`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=l.heads,n=e.heads.find(c=>c.head===l.view.head),o=Rs(),s=n?.head??o[0]?.heads[0]?.head,r=d`<button id="rank" @click=${()=>void Le()}>Rank all heads</button>${k("worth")}`,i=()=>xe("heads-off.txt",`${t.join(`
`)}
`);return d`<section class="panel heads ${R()?"stale":""}" aria-labelledby="heads-title">
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${Oa()} ${rt()&&z()?r:m}
      ${t.length?d`<button @click=${i}>List of heads that are off</button>`:m}
      ${Ia()}
    </div>
    <div id="heads">${o.map(c=>La(c,s))}</div>
    ${Ts(o.flatMap(({heads:c})=>c.map(u=>u.head)))} ${n?Ca(n):m}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${z()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":m}
    </p>
  </section>`}var Wn=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function Cs(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:Wn(),block:"start"})})}var Na=5;async function Te(){Ne(),await Hs()}async function Os(){let{text:e}=l.request,t=J(),n=()=>t!==null&&J()===t&&l.request.text===e&&!l.status.error;await Hs();for(let o of t?.edits??[])n()&&await Wa(o);t&&n()&&await Ba(t,n),J()===t&&!l.status.error&&Ne(),f({})}async function Wa({sentenceIndex:e,edit:t}){if(!l.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=l.view;f({view:{sentenceIndex:e}}),await(t.kind==="prefix"?Ws(t.position,t.token,t.prefix):Ke(t)),f({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await B()}async function Ba(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=l.heads;s&&t()&&await le(),r&&t()&&await Le(),f({heads:{sortBy:i}}),o&&t()&&await dt(o),n!==null&&A()?.snapshots?.includes(n)&&t()&&await Ct(n)}async function Hs(){let{text:e,isHtml:t}=l.request;if(ye("inspect"),!S())return;if(!e.trim())return ye("translate"),f(...vt);if(t)return await Da(e);await P("translate","Translating",async o=>{let s=Me(),r={...q(),...s,text:e,alternatives:Ee};await Ls(r,o,{decoding:s},i=>{let a=Math.max(0,Math.min(l.view.sentenceIndex,i.length-1));f({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:a}})})})&&$()?.isDone&&await B()}async function Da(e){await P("translate","Translating",async t=>{let n={...q(),...Me(),text:e,format:"html"},{text:o}=await M("translate",n,t);f({output:{html:o,sourceText:e,sentences:[]}},dn)})}async function Ls(e,t,n,o){let s=l.request.temperature?{}:{n_best:Math.min(l.request.beamSize,Na)},r=[];for await(let{name:i,data:a}of fo({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<a.sentences;c++)r.push({...De(),index:c,...n});continue}if(i==="error")throw new j(a.status,a.message);if(i==="token"){let c=r[a.sentence];c.text=a.text,c.tokens.push(...a.tokens??[])}else i==="done"&&Fa(r,a,n.separator);o(r)}}function Fa(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:a,score:c,source:u,ids:p,n_best:h=[]}=r,g=Math.max(t.indexOf(a,s),s),b={text:a,score:c,source:u,ids:p,nBest:h,isDone:!0,separator:o??t.slice(s,g)};An(Object.assign(e[i],b),r),s=g+a.length})}function Is(){let e=Object.values(l.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var Ns=e=>!Fe(e)||S()&&e===Is();async function Bn(e,t){let n=$();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);W(),await Vt(async()=>{t===Is()?await Ke({text:V(o),ids:n.ids.slice(0,e)}):await Ws(e,t,V([...o,t]))})}async function Vt(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),Oe(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function Ws(e,t,n){let o=$(),{sentences:s}=l.output,{sentenceIndex:r}=l.view;if(!o?.isDone)return;let{source:i,separator:a}=o,c=Me(),u={...q(),...c,text:i,prefix:n,split:!1,alternatives:Ee},p={kind:"prefix",position:e,token:t,prefix:n},h={source:i,separator:a,decoding:c,prefix:n,original:o.original??o,edit:p},g=s,b=await P("translate","Decoding again",async y=>{await Ls(u,y,h,([v])=>{g=s.with(r,v),f({output:{sentences:g,compared:null},view:{outputPosition:e}})})});g!==s&&l.output.sentences===g&&!g[r].isDone&&f({output:{sentences:s}}),b&&$()?.isDone&&await B()}async function Bs(){let{original:e}=$()??{};e&&(W(),await Vt(async()=>{let{sentenceIndex:t,outputPosition:n}=l.view;f({output:{sentences:l.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await B()}))}async function Ds(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...q(),text:e.source,...s,alternatives:Ee},i=await M("score",r,o),a={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return An(a,{...i,tokens:i.tokens.slice(0,-1)}),a}async function dt(e){let t=$(),{compared:n}=l.output;if(!t||n&&Ot(n,e))return f({output:{compared:null}});await P("compare","Reading",async o=>{f({output:{compared:await Ds(t,e,o)}})})}async function Ke(e){let t=$(),{sentenceIndex:n}=l.view;if(!t)return;await P("translate","Reading",async s=>{let r=await Ds(t,e,s),i=Math.max(0,Math.min(l.view.outputPosition,r.tokens.length-1));f({output:{sentences:l.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await B()}var qs=.55,qa=-3,ze=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,Dn=e=>({background:e===null?"":ae("doubt",qs*Math.min(1,e/qa))});function js(e,t){let n=l.view.sentenceIndex!==e;f({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&B()}function ja(e,t,n){let o=l.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||Ge(e)||(e.preventDefault(),js(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function Ua({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function Va(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=l.view,a=l.view.sentenceIndex===n,c=a&&i===t,u=t===0&&(!a||i>=e.tokens.length),p=Ua(e,r,t);return d`<button
    class="token ${o?"new":""} ${p?"prefix-end":""} ${s}"
    ${E(Dn(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||u?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":ze(r.log_prob)}
    title=${p?"written by you":m}
    @click=${()=>js(n,t)}
    @keydown=${h=>ja(h,n,t)}
    @pointerenter=${h=>za(h,n,t)}
    @pointerleave=${Us}
    dir="auto"
    >${x(r.token)}</button
  >`}var Ga=200,Ka=280,Fs=8,Gt=0;function za(e,t,n){if(e.pointerType==="touch"||(clearTimeout(Gt),!l.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();f({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Us(){clearTimeout(Gt),Gt=window.setTimeout(()=>{l.view.hoveredToken&&f({view:{hoveredToken:null}})},Ga)}function Kt(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=l.view;if(!t)return m;let{sentenceIndex:s,position:r,left:i,bottom:a}=t,c=l.output.sentences[s],u=c?.tokens[r];if(!u||s===n&&r===o)return m;let p=b=>{f({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},h=innerWidth-Ka-Fs,g={left:`${Math.max(Fs,Math.min(i,h))}px`,top:`${a}px`};return d`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(Gt)}
    @pointerleave=${Us}
    ${E(g)}
  >
    ${Vs(c,u,p,-1)}
  </div>`}function Vs(e,t,n,o){let s=(r,i)=>{let a=r===t.token;return d`<button
      class="bar ${a?"own":""}"
      tabindex=${o}
      ?disabled=${a||!e.isDone||!Ns(r)}
      @click=${()=>n(r)}
      ><bdi>${x(r)}</bdi
      ><span class="track"><span ${E({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${ze(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function zt(e){let t=$(),{outputPosition:n}=l.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return m;let s=x(o.token);return d`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${Vs(t,o,r=>void e(n,r),0)}
  </div>`}var Fn=(e,t)=>t&&e.startsWith("▁")?" ":m;function Xa(e,t){let{original:n}=e;if(!n||!e.isDone)return m;let o=d`<button id="take-back" data-unsaved @click=${()=>void Bs()}>Take it back</button>`;return d`<p class="before hint">
    before: <bdi>${$e(n.text,e.text,"deleted")}</bdi> ${t===l.view.sentenceIndex?o:m}
  </p>`}function Xe(e,t){let n=Rn(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&l.status.busy.translate,r=o.map((c,u)=>{let p=qe(o,u),h=Va(e,u,t,n[u],p);return d`${Fn(c,u)}${h}`}),i=ce(V(o)),a=`Sentence ${t+1}`;return d`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${a}>
      ${r}${s?d`<span class="caret"></span>`:m}
    </p>
    ${Xa(e,t)}`}function Je(){let e=l.output.sentences.some(s=>Rn(s).some(Boolean)),t=$()?.edit?.kind==="prefix",n=d`<span><u class="new">underlined</u>: other than before</span>`,o=d`<span><span class="token prefix-end">framed</span>: written by you</span>`;return d`<p class="legend" id="doubts">
    <span>the model was sure ${K("doubt",qs)} unsure</span> ${e?n:m}
    ${t?o:m} ${k("probability")}
  </p>`}function Ye(){let e=l.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let a=[n,i,o,s];return r.length?r.map(c=>[...a,...c]):[[...a,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var Ja=900,Gs=0;function Ks(){f({view:{isPlaying:!l.view.isPlaying}}),clearInterval(Gs),l.view.isPlaying&&(Gs=window.setInterval(Ya,Ja))}function Ya(){let e=(l.inspection.sentence?.tokens.length??1)-1;l.view.outputPosition>=e?Ks():f({view:{outputPosition:l.view.outputPosition+1}})}var Qa=e=>e?`layer ${e-1}`:"embeddings";function Za(e,t,n){let o=(s,[r,i])=>d`<div class="change" role="listitem">
      <span>${Qa(s)}</span
      ><span class="track"><span ${E({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${x(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return d`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the logit lens). Early layers were not trained for this: read
      it as a hint.
    </p>`}function el(e,t){return _("layers",[".lens"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],a)=>[a,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t}))}function tl(e,t){let n=Math.max(0,e.tokens.length-1),{token:o="",log_prob:s}=e.tokens[t]??{},{isPlaying:r}=l.view,i=()=>d`<span id="probability">${ze(s)}</span>`;return d`<div class="controls">
    <button id="play" @click=${Ks} aria-label=${r?"Pause":"Play"}
      >${r?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${n}
      step="1"
      .value=${String(t)}
      aria-label="Token"
      aria-valuetext=${x(o)}
      @input=${a=>f({view:{outputPosition:Number(L(a))}})}
    />
    <span
      >token ${t+1} of ${n+1}:
      <bdi class="strong">${x(o)}</bdi> ${typeof s=="number"?i():m}</span
    >
  </div>`}function nl(){let e=t=>{let n=`${H}${t}`,o=()=>{ne(n),Cs(".alignment")};return d`<button aria-pressed=${l.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return d`<p class="flows">
    <span class="hint">What reached the output through all layers:</span> ${ie.map(e)}${k("flow")}
  </p>`}function zs(){let{sentence:e,result:t,flow:n}=l.inspection;if(!t||!e)return m;let{storedPage:o}=l.server,{lens:s,target:r,token_log_probs:i}=t,a=s.length>0,c=Math.max(0,Math.min(l.view.outputPosition,e.tokens.length-1)),u=r===null&&i.length>0,p=e.tokens[u?c+1:c]?.token,h=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",g=n!==null&&l.view.head.startsWith(H);return d`<section class="panel layers ${R()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${a?d`${k("lens")} ${el(e,s)}`:m}
    </div>
    ${tl(e,c)}
    ${u&&a?d`<p class="hint">After this token, each layer would write:</p>`:m}
    ${a?Za(s,c,p):d`<p class="hint">${h}</p>`}
    ${o?m:nl()}
    ${g?d`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:m}
  </section>`}var Xs=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function ol({trace:e}){let t=Xs(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,a)=>{let{fate:c,token:u,id:p}=i,h=i.parent===null?t:n[i.parent];if(!h||c==="dropped"&&!r.has(i))return;let g=c==="finished",b=g?h.path:[...h.path,u],w=g?h.ids:[...h.ids,p],y={...Xs(),id:`${o}.${a}`,step:o+1,token:u,candidate:i,path:b,ids:w};return h.children.push(y),y})}return t}function qn(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(a=>qn(a,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var pt=null;function Js(e,t){if(pt?.trace===e&&pt.ids===String(t))return pt;let n=ol(e),o=e.trace.length,s=qn(n,t,o);s||qn(n,e.sentences[0]?.ids??[],o);let r=[],i=0,a=(u,p,h)=>{let g={node:u,parent:p,x:8+84*h,y:32*(i+1)};r.push(g),u.children.length||(i+=1);let b=[...u.children].sort((w,y)=>Number(y.isOnBestPath)-Number(w.isOnBestPath));for(let w of b)a(w,g,h+1)};a(n,null,0);let c=Math.max(...r.map(u=>u.x))+84;return pt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},pt}function Ys({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Qs({nodes:e},t,n){let o=e.filter(a=>a.x===t.x).sort((a,c)=>a.y-c.y),[s]=e.filter(a=>a.parent===t).sort((a,c)=>a.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Zs=9,sl={active:"went on",finished:"ended",dropped:"was dropped"};function rl(e){let t=[...x(e)];return t.length>Zs?`${t.slice(0,Zs-1).join("")}…`:t.join("")}function er({path:e,ids:t}){e.length&&(W(),Ke({text:V(e),ids:t}))}async function il({path:e,ids:t}){await dt({text:V(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function al({node:e}){let{fate:t,score:n}=e.candidate,o=V(e.path),s=String(e.ids)===String($()?.ids),r=d`<button id="open" @click=${()=>er(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void il(e)}>Compare with the chosen one</button>`;return d`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${sl[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:m}
  </p>`}function ll(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Qs(t,n,e.key);s&&(e.preventDefault(),f({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var tr=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function cl(e){return se`<path class="branch ${tr(e)}" d=${Ys(e)}></path>`}function ul(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:a}=o.candidate;return se`<g class="node ${tr(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===l.search.candidate}
      aria-label="${x(o.token)}, ${i}, score ${a.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>f({search:{candidate:o.id}})} @dblclick=${()=>er(o)}
      @keydown=${c=>ll(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${rl(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${a.toFixed(2)}</text>
    <title>${V(o.path)} (${a.toFixed(3)})</title></g>`}function dl(e,t){let n=e.nodes.slice(1),o=t??n[0];return d`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(cl)} ${n.map(s=>ul(e,s,s===o))}
    </svg>
  </div>`}function pl(e,t,n){if(t)return d`<p class="hint">This is the search for another translation.</p>`;if(n)return m;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return d`<p class="hint" id="unsearched">${o}</p>`}function hl(e,t,n){let o=Js(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===l.search.candidate),r=d`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return d`${dl(o,s)} ${s?al(s):m}
    ${pl(t,n,o.isFound)} ${t.prefix?r:m}
    <p class="hint">
      From left to right, a step for each token; below each token is its score.
      <span class="sign best">${o.isFound?"The chosen hypothesis":"The best hypothesis"}</span>, in the top row,
      <span class="sign dropped">dropped</span> (of each step, the best two), <span class="sign finished">ended</span>.
      Click a token to open its text in the other panels, or to compare it.
    </p>`}function ml(e){return _("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:a,fate:c},u)=>[o+1,u,s,r,i,a,c]))],()=>e)}function nr(){let e=$(),{trace:t}=l.search;if(!l.inspection.result||!e||!S())return m;let n=t!==null&&t.requestKey!==We(e),o=d`<p class="hint">
    Beam search keeps the ${l.request.beamSize} best beginnings at each step. This draws all that it tried.
  </p>`;return d`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">Search</h2>
      ${k("search")}
      <button id="search" @click=${()=>void le()}>${t?"Search again":"Show the search"}</button>
      ${t?ml(t):m}
    </div>
    ${t?hl(t,e,n):o}
  </section>`}function or(){let e=A()?.snapshots??[];if(!e.length||!S()||!$()?.isDone)return m;let{snapshot:t,result:n}=l.inspection,o=t===null?e.length:e.indexOf(t),s=a=>{let c=e[Number(L(a))];c===void 0?B():Ct(c)},r=t===null?"the model itself":d`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=d`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return d`<section class="panel snapshots ${R()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">While it was trained</h2>
      ${k("snapshot")}
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${e.length}
        step="1"
        .value=${String(o)}
        aria-label="Step of training"
        aria-valuetext=${t===null?"the model itself":`step ${t}`}
        @input=${s}
      />
      <span>${r}</span>
    </div>
    ${t!==null&&n?.written!==void 0?i:m}
    <p class="hint">The panels below show what the model looked at then, while the same translation was written.</p>
  </section>`}function sr(){let e=l.inspection.result,t=$(),{note:n,says:o}=l.server.storedPage;return d`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${_("text",["#text",".stored .output[data-sentence]"],Ye,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?d`<p dir="auto" id="says">${o}</p>`:m} ${Xe(t,0)}
    ${e.token_log_probs.length?Je():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?d`<p class="hint" id="note">${n}</p>`:m}
  </section>`}function rr(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function fl(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function Xt(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,a=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...De(),source:t,text:n??t,isDone:!0,tokens:(a?r.slice(0,-1):r).map((u,p)=>({token:u,log_prob:s[p-c]??null,alternatives:[]}))}}async function gl({packed:e,bytes:t,parts:n}){let o=await fl(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,a=0;for(let{heads:c,rows:u,keys:p}of n)for(let h of c){let g=a+u*p;i.set(h,{rows:u,keys:p,values:s.subarray(a,g),scale:r-1,forbidden:r}),a=g}return i}async function ir(e){let t=await gl(e),n={...e.inspection,request:{},weights:t},o=Xt(n),{text:s}=n;Mt(),st({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=l.view;f({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var ar=[20,50,100,200];async function bl(e,t,n){let o={model:A().name,prompt:e,...t,logprobs:Ee,echo:!0},{choices:s}=await M("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let a=i.tokens.map((c,u)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[u]??null,alternatives:Object.entries(i.top_logprobs[u]??{}).sort((p,h)=>h[1]-p[1])}));return{text:r,ids:i.token_ids,tokens:a}}async function yl(e,t){let{name:n,max_tokens:o}=A(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await M("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function jn(e=null){let{text:t}=l.request,n=e?.prefix??t,o=e&&($()?.original??$()??null);await P("translate","Writing",async s=>{let{name:r,max_tokens:i}=A(),{temperature:a,seed:c}=l.request,u=Math.min(l.request.maxTokens,await yl(n,s));if(u<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let p={max_tokens:u,temperature:a,seed:c},{text:h,tokens:g,ids:b}=await bl(n,p,s),w=b.slice(0,i??b.length),y=await Ce({model:r,text:h,ids:w},s),v=Xt(y).tokens,T={...De(),source:n,text:h,ids:w,decoding:p,original:o,edit:e,isDone:!0,tokens:v.map((D,Z)=>({...D,alternatives:g[Z]?.alternatives??[]}))},I=Math.max(0,Math.min(e?.position??0,v.length-1));f({output:{sentences:[T],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:I,hoveredToken:null},search:{trace:null}}),it(y,T)}),l.heads.disabled.length&&!R()&&await X()}async function Un(e,t){let n=$().tokens.slice(0,e),o=V([...n.map(s=>s.token).filter(s=>!Fe(s)),t]);W(),await Vt(()=>jn({kind:"prefix",position:e,token:t,prefix:o}))}async function wl(){let{text:e}=l.request;await P("translate","Reading",async t=>{let n=await Ce({model:A().name,text:e},t),o=Xt(n),s=n.predicted?.length?await M(`inspect/${n.id}/flow/gradient`,void 0,t):null;f({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),it(n,o)}),l.heads.disabled.length&&!R()&&await X()}async function Jt(){Ne(),W(),await ht()}async function ht(){if(S())return await Os();let e=J(),{outputPosition:t}=l.view,n=A()?.arch==="decoder";await(n?jn():wl());for(let{edit:o}of e?.edits??[])J()===e&&o.kind==="prefix"&&n&&await jn(o);if(e?.ranksHeads&&J()===e&&await Le(),e&&J()===e){Ne();let o=($()?.tokens.length??1)-1;f({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function lr(e){let t=A();f({request:{modelName:e},heads:{disabled:[]},view:{head:"mean",outputPosition:0,inputPosition:null},tokenCounts:{total:null}}),Vn(t),l.request.text.trim()&&Jt()}function Vn(e){let t=A(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==S()||!l.request.text.trim())&&f(...vt)}var Yt=[0,.5,.8,1,1.3],$l=/^und-und(-x-|$)/;function Qt(){let{modelName:e}=l.request,{models:t}=l.server;if(t.length<2)return d`<span class="hint">${$l.test(e)?m:e}</span>`;let n=o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`;return d`<select id="model" aria-label="Model" @change=${o=>lr(L(o))}>
    ${t.map(o=>n(Ae(o)))}
  </select>`}function Qe(e,t,n,o,s=String){let r=[...new Set([...t,n])].sort((a,c)=>a-c),i=a=>d`<option value=${a} ?selected=${a===n}>${s(a)}</option>`;return d`<select id=${e} @change=${a=>o(Number(L(a)))}>
    ${r.map(i)}
  </select>`}var Zt=()=>l.status.busy.translate?d`<button @click=${()=>ye("translate")}>Stop</button>`:m;var cr=.6,oe=()=>A()?.arch==="decoder",vl=({label:e,prob:t})=>d`<div class="change" role="listitem">
    <bdi>${x(e)}</bdi>
    <span class="track"><span ${E({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function xl(){let e=l.inspection.result?.predicted,{attribution:t}=l.output;if(!e?.length)return m;let n=A()?.task==="classify"?"the likeliest class":"the chosen token",o=d`<p class="legend">
      <span>moved it little ${K("heat",cr)} much</span> ${k("moved")}
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return d`<div id="predicted" role="list">${e.map(vl)}</div> ${t?o:m}`}function kl(){let e=$();if(!e||!l.inspection.result)return m;let{outputPosition:t}=l.view,n=l.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let a=o?.[i]??0;return d`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${a.toFixed(3)}
      ${E({background:o?ae("heat",cr*a):""})}
      @click=${()=>f({view:{outputPosition:i}})}
      >${x(r)}</button
    >`};return d`<p class="output" id="moved" dir=${ce(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function Tl(){let{text:e,maxTokens:t,temperature:n}=l.request,o=Qe("length",ar,t,i=>f({request:{maxTokens:i}})),s=Qe("temperature",Yt,n,i=>f({request:{temperature:i}})),r=d`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return d`<div class="controls">
    <button class="primary" @click=${()=>void Jt()} ?disabled=${!e.trim()&&!oe()}
      >${oe()?"Continue":"Read"}</button
    >
    ${Zt()} ${oe()?r:m}
  </div>`}function Sl(e){let t=["#output","#doubts",".alternatives"];if(oe())return _("continuation",t,Ye,()=>l.output.sentences);let n=l.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return _("predicted",t,o,()=>({predicted:l.inspection.result?.predicted,tokens:s,moved:l.output.attribution?.shares}))}function Al(e){return oe()?e?Xe(e,0):d`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:d`${xl()} ${kl()}`}function ur(){let e=$(),t=oe()&&e!==void 0,n=!!l.status.busy.translate,o=s=>{jt(s)&&Jt()};return d`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${Qt()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${oe()?"Text to continue":"Text to read"}
          placeholder=${oe()?"Write how it begins.":"Write or paste a text."}
          .value=${l.request.text}
          @input=${s=>f({request:{text:L(s)}})}
          @keydown=${o}
        ></textarea>
        ${Tl()}
      </div>
      <div>
        <div class="head">
          <h2>${oe()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&l.inspection.result?Sl(e):m}
        </div>
        <div class=${F()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Al(e)}</div>
          ${t?d`${Je()} ${zt(Un)}`:m}
        </div>
        ${t?Kt(Un):m}
      </div>
    </div>
  </section>`}function dr(){let e=xt();if(e?.isOfModel)return e.head;let t=l.inspection.result?.heads??[],n=t.filter(s=>s.head.startsWith("cross.")),[o]=[...n.length?n:t].sort((s,r)=>r.confidence-s.confidence);return o?.head??"mean"}var pr=async()=>{l.heads.disabled.length&&await te([])},en=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{f({view:{outputPosition:0,head:"mean",showsComputation:!1}}),await pr()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".alignment",target:".frame",prepare:async()=>{f({view:{inputPosition:null}}),await ne(dr())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to one token of the translation; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>f({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{f({view:{showsComputation:!0,groupsWords:!1}}),await El(()=>l.inspection.lookup!==null&&!At("lookup"))},text:"The token that looks has a query, and each token that is looked at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1."},{title:"A weight is not a cause",panel:".alignment",target:".frame",prepare:()=>f({view:{showsComputation:!1,head:"mean"}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>te([dr()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{f({view:{outputPosition:Math.min(1,($()?.tokens.length??1)-1)}}),await pr()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:le,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Rl=5e3,Pl=20;async function El(e){let t=performance.now()+Rl;for(;!e()&&!l.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,Pl))}function Ml(){let{disabled:e,undoStack:t,sortBy:n}=l.heads,{sentences:o,sourceText:s}=l.output;return{view:{...l.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...l.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var Kn=null;async function hr(){let e=A()?.examples?.[0],t=l.request.text.trim()!=="";if(!t&&!e)return f({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!($()?.isDone&&l.output.sourceText!==""&&!F())||!l.inspection.result||R())&&(t||(W(),f({request:{text:e}})),await Te(),!$()?.isDone)||(Kn=Ml(),await zn(0))}async function Gn(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=Kn,r=o.sourceText===l.output.sourceText,i=l.inspection.sentence===(o.sentences[e.sentenceIndex]??null);Kn=null;let{isPlaying:a}=l.view,{showsComputation:c,groupsWords:u}=e;r?f({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:a,hoveredToken:null}}):f({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:u}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await B():await X(),r&&e.head.startsWith(H)&&await ne(e.head),Oe(()=>scrollTo({top:s}))}async function zn(e){let t=en[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),f({view:{tourStop:e}}),await t.prepare(),Oe(()=>{if(l.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),Cl(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var _l=12;function Cl(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(_l,(s-o)/2)),behavior:Wn()})}function mr(){let e=l.view.tourStop,t=e===null?void 0:en[e];if(e===null||!t||!S())return m;let n=e===en.length-1,o=r=>{r.key==="Escape"&&Gn()},s=d`<button id="tour-back" @click=${()=>void zn(e-1)}>Back</button>`;return d`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${en.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void Gn()}>End</button>
      <span>
        ${e?s:m}
        <button id="tour-next" class="primary" @click=${()=>void(n?Gn():zn(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function Ol(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}async function fr(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=Ol(e)}$o(t?"Copied.":"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var gr=50,Hl=400;async function br(e){await P("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let u=0;u<s.length;u+=gr){let p=s.slice(u,u+gr),h={...q(),...Me(),texts:p,format:o?"html":"text"},{translations:g}=await M("translate",h,t);g.forEach((b,w)=>{let y=u+w+1;if("error"in b)throw new j(Hl,`Line ${y} of ${e.name}: ${b.error.message}`);r.push(b.text)}),St("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,a]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${A()?.target??"translated"}${a??".txt"}`;xe(c,r.join(`
`),o?"text/html":"text/plain")})}var Ll=300,Il=[1,2,3,5,8,12],wr=/<\/?[a-z][^>]*>/i,yr=0;function Nl(e){let t=L(e);f({request:{text:t,isHtml:l.request.isHtml&&wr.test(t)}}),clearTimeout(yr),yr=window.setTimeout(()=>{Be(),l.request.translatesWhileTyping&&Te()},Ll)}function tn(e){f({request:e}),Te()}function $r(){W(),Te()}function Wl(e,t){let{text:n,score:o}=e,s=d`<span class="number">${o.toFixed(3)}</span>`;if(!n)return d`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=l.output,i=r!==null&&Ot(e,r),a=()=>{W(),Ke(e)},c=d`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void dt(e)}
    >compare</button
  >`;return d`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${a}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?m:c}
  </li>`}function Bl(){let e=$();if(!e?.isDone)return m;let{nBest:t}=e,n=t.filter(({text:o},s)=>t.findIndex(r=>r.text===o)===s);return n.length<2?m:d`<div class="nbest">
    <p class="hint">The best translations${k("best")}</p>
    <ol>
      ${n.map(o=>Wl(o,e))}
    </ol>
  </div>`}function Dl(){let e=$(),{compared:t}=l.output;if(!e?.isDone||!t)return m;let n=({tokens:r})=>r.reduce((i,a)=>i+(a.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},a)=>d`${Fn(r,a)}<span
          class="token ${qe(o,a)}"
          dir="auto"
          title=${ze(i)}
          ${E(Dn(i))}
          >${x(r)}</span
        >`);return d`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (the end not counted). Marked words are not in the one above.
    </p>
    <p class="output" dir=${ce(t.text)}>${s}</p>
    <p dir="auto">${$e(t.text,e.text)}</p>
  </div>`}function Fl(){return d`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&br(o),n.value=""}}
  /></label>`}function ql(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=l.tokenCounts;if(e===null)return m;let s=o===1?"1 sentence is":`${o} sentences are`;return d`<span id="count" class="hint ${o?"warning":""}"
      >${e} tokens${o?`; ${s} cut`:""}; a sentence may have ${n}, the
      longest has ${t}</span
    >${k("tokens")}`}function jl(){let{text:e,temperature:t,seed:n,isHtml:o}=l.request,s=d`<button id="again" @click=${()=>tn({seed:n+1})}>Draw again</button>`,r=d`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>tn({isHtml:Ve(i)})}
    />
    as HTML</label
  >`;return d`${t&&e.trim()?s:m} ${wr.test(e)?r:m}`}function Ul(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=l.request,s=Qe("beam",Il,n,i=>tn({beamSize:i,temperature:0})),r=Qe("temperature",Yt,o,i=>tn({temperature:i}),i=>i||"off");return d`<div class="controls">
    <button class="primary" @click=${$r} ?disabled=${!e.trim()}>Translate</button>
    ${Zt()}
    <label
      ><input
        type="checkbox"
        .checked=${t}
        @change=${i=>f({request:{translatesWhileTyping:Ve(i)}})}
      />
      while typing</label
    >
    <label>Beam ${s}</label>${k("beam")} <label>Sampling ${r}</label>${k("sampling")}
    ${jl()} ${ql()} ${Fl()}
  </div>`}function Vl(){let e=A()?.examples??[];if(l.request.text||!e.length)return m;let t=n=>{W(),f({request:{text:n}}),Be(),Te()};return d`<p class="hint">
    For example: ${e.map(n=>d`<button class="link" @click=${()=>t(n)}>${n}</button> `)}
  </p>`}function Gl(){let{html:e,sentences:t}=l.output;return e?d`<pre class="html">${e}</pre>`:t.length?t.map(Xe):d`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function Kl(){let{html:e,sentences:t}=l.output,n=e!==""||t.length>0&&t.every(r=>r.isDone),o=()=>e||t.map(({separator:r,text:i})=>`${r??""}${i}`).join(""),s=()=>_("translation",["#output","#doubts",".alternatives"],Ye,()=>t);return d`${n?d`<button id="copy" @click=${()=>void fr(o())}>Copy</button>`:m}
  ${t.some(r=>r.isDone)?s():m}`}function zl(){let{sentences:e}=l.output,t=!!l.status.busy.translate,n=F()||t&&e.every(s=>s.isDone),o=d`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return d`<div>
    <div class="head">
      <h2>Translation</h2>
      ${Kl()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${Gl()}</div>
      ${F()&&!t?o:m} ${e.length?Je():m}
      <div class="beside">${zt(Bn)} ${Bl()}</div>
      ${Dl()}
    </div>
    ${Kt(Bn)}
  </div>`}function vr(){let e=t=>{jt(t)&&$r()};return d`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head">
          <h2 id="translate-title">Text</h2>
          ${Qt()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${l.request.text}
          @input=${Nl}
          @keydown=${e}
        ></textarea>
        ${Ul()} ${Vl()}
      </div>
      ${zl()}
    </div>
  </section>`}var Tr="regard-theme";function Xl(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(Tr,o)}catch{}f({})}function Jl(){return d`<form class="key" @submit=${t=>{t.preventDefault(),mo(document.querySelector("#key").value),Xn()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function Yl(){let e=()=>d`${or()}
      <div class="column">${ws()} ${xs()} ${zs()}</div>
      <div class="column">${_s()} ${is()}</div>`;return l.server.storedPage?d`${sr()}${e()}`:l.server.models.length?S()?d`${vr()}${e()}${nr()}`:d`${ur()}${l.inspection.result?e():m}`:m}var Ql=[["#text","Text"],["#output","Translation"],[".alignment","Alignment"],[".heads","Heads"],[".without","Without them"],[".search","Search"]];function Zl(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return d`<nav class="skips" aria-label="Go to a part of the page">
    ${Ql.map(([t,n])=>d`<button @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function ec(){return l.server.storedPage?"What the heads look at":S()||!l.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function tc(){let e=Object.values(l.status.busy).at(-1),t=d`<button id="tour" @click=${()=>void hr()}>Explain</button>`;return d`<header>
    <h1>Regard</h1>
    <p class="hint">${ec()}</p>
    <span class="said" role="status">${l.status.notice}</span
    ><span class="status" role="status">${e?d`<span class="spinner"></span>${e} …`:m}</span>
    ${S()?t:m} ${l.server.storedPage?m:d`<a href="docs">API</a>`}
    <button class="theme" @click=${Xl} aria-label="Light or dark">◐</button>
  </header>`}function nc(){let{error:e,needsApiKey:t}=l.status;if(!e)return m;let n=d`<button @click=${()=>void yn()}>Try again</button>`;return d`<p class="error" role="alert">${e} ${t?m:n}</p>`}function oc(){return d`${Zl()} ${tc()} ${nc()}
    <main>${l.status.needsApiKey?Jl():m} ${Yl()}</main>
    ${mr()}`}function mt(){Ro();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(l.status.busy).length>0),lo(oc(),e)}async function Xn(){await Co(),Sr(),l.request.text&&l.server.models.length&&(Be(),await ht())}async function sc(){if(!l.server.models.length||l.status.needsApiKey)return await Xn();(F()||!$()||l.output.sentences.some(t=>!t.isDone))&&!(l.output.html&&!F())?l.request.text.trim()&&(Be(),await ht()):R()||!l.inspection.result?await B():l.heads.disabled.length&&l.heads.ablatedSentence!==l.inspection.sentence?await X():f({})}function rc(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function ic(){try{return localStorage.getItem(Tr)}catch{return null}}var Sr=()=>{document.body.dataset.ready="yes"};function ac(){let e=A(),t=kn();f(t,J()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),Vn(e),ht()}var xr=ic();xr&&(document.documentElement.dataset.theme=xr);pn(mt);pn(To);addEventListener("resize",mt);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",mt);Object.assign(globalThis,{regard:{state:l,matrixLayout:bs,unmatchedWords:Po}});var kr=rr();kr?(rc(),ir(kr).then(()=>{mt(),Sr()})):(Mt(),yo(sc),addEventListener("hashchange",ac),mt(),Xn());})();
